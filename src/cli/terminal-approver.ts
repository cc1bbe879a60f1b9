/** Asks the person at the terminal. Without a terminal there is nobody to ask. */
import type { ApprovalRequest, Approver, Decision } from '../index.js';
import { visible } from './visible.js';

/** Undefined when standard input or error is not a terminal. */
export function terminalApprover(): Approver | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (request, signal) => {
    process.stderr.write(visible(question(request)));
    return decisionFor(await ask('Allow it? [y]es, [n]o, [a]bort: ', signal));
  };
}

/** One line from the terminal. Ctrl-C is an answer too, and so is the end of the input. */
async function ask(prompt: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string>((resolve) => {
    const answer = (text: string): void => {
      resolve(text);
      terminal.close();
    };
    terminal.once('SIGINT', () => answer('abort'));
    terminal.once('close', () => answer('no'));
    signal.addEventListener('abort', () => answer('abort'), { once: true });
    terminal.question(prompt, answer);
  });
}

function question({ presentation, reason, cwd, confined }: ApprovalRequest): string {
  const { title, command, diff } = presentation;
  return [
    `\n${title}${confined ? '' : ', without a sandbox'}`,
    ...(command === undefined ? [] : [`  $ ${command}`]),
    ...(diff === undefined ? [] : [diff]),
    `  in ${cwd}`,
    `  because ${reason}`,
    '',
  ].join('\n');
}

function decisionFor(reply: string): Decision {
  const word = reply.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return { kind: 'once' };
  if (word === 'a' || word === 'abort') return { kind: 'abort' };
  return { kind: 'deny' };
}
