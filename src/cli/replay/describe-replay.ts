/** What a person reads of a replay: where it went another way, and how it ended. */
import type { Divergence, ReplayResult } from '../../index.js';
import type { Paint } from '../exec/paint.js';
import { visible } from '../visible.js';

export function describeDivergence({ turn, call, what, diff }: Divergence, paint: Paint): string {
  const where = call ? `turn ${turn}, call ${call.number} (${call.name})` : `turn ${turn}`;
  const lines = diff.split('\n').map((line) => `  ${coloured(visible(line), paint)}`);
  return [`${paint.title(visible(where))}: ${WORDS[what]}`, ...lines].join('\n');
}

const WORDS: Readonly<Record<Divergence['what'], string>> = {
  outcome: 'it ended another way',
  answer: 'it was answered something else',
  rights: 'it ran with other rights, or was to touch something else',
  questions: 'something else was asked',
  prompt: 'the prompt is another one',
  tools: 'the tools are other ones',
  settings: 'the model was asked with other settings',
  context: 'the model was told something else of where it works and what it may do',
  history: 'the conversation was told shorter somewhere else',
  calls: 'these calls were not reached',
  end: 'the turn ended another way',
};

function coloured(line: string, paint: Paint): string {
  if (line.startsWith('-')) return paint.bad(line);
  return line.startsWith('+') ? paint.good(line) : line;
}

export function describeResult({ turns, calls, divergences, isCutOff }: ReplayResult, paint: Paint): string {
  const extent = `${counted(turns, 'turn')}, ${counted(calls, 'call')}`;
  const cutOff = isCutOff ? ' The recording is cut off; what is there was played.' : '';
  const verdict = divergences === 0 ? paint.good('the same') : paint.bad(counted(divergences, 'difference'));
  return `${verdict}: ${extent}.${cutOff}`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
