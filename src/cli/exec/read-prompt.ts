/** The prompt: from the command line, from standard input, or what was piped in beside what was typed. */
import { isPipe, isTerminal, readStandardInput } from '../standard-input.js';
import { UsageError } from '../usage-error.js';

export async function readPrompt(given: string | undefined): Promise<string> {
  if (given === undefined || given === '-') return fromStandardInput(given);
  if (given.trim() === '') throw new UsageError('the prompt is empty');
  const piped = isTerminal() ? '' : await readPiped('what belongs to the prompt on standard input');
  return piped.trim() === '' ? given : `${given}\n\n<stdin>\n${piped}${piped.endsWith('\n') ? '' : '\n'}</stdin>`;
}

/** For who need not say anything: undefined when nothing was piped in. */
export async function pipedPrompt(): Promise<string | undefined> {
  const text = isTerminal() ? '' : await readPiped(PROMPT);
  return text.trim() === '' ? undefined : text;
}

async function fromStandardInput(given: string | undefined): Promise<string> {
  if (given === undefined && isTerminal()) {
    throw new UsageError('there is no prompt: give one as an argument or on standard input');
  }
  const text = await readPiped(PROMPT);
  if (text.trim() === '') throw new UsageError('standard input has no prompt');
  return text;
}

const PROMPT = 'the prompt on standard input';

/** Whoever holds the other end open keeps us waiting, and should know. */
async function readPiped(what: string): Promise<string> {
  if (isPipe()) process.stderr.write(`tenon: reading ${what}\n`);
  return readStandardInput();
}
