/** One thing that was not as it had been recorded: where it is, and what has become of it. */
import { hunksBetween } from '../diff/hunks.js';
import type { RecordedCall } from './recorded-call.js';

export type Divergence = {
  /** From 1. */
  readonly turn: number;
  /** Absent for what is of the whole turn. */
  readonly call?: { readonly number: number; readonly id: string; readonly name: string };
  readonly what: DivergingPart;
  /** From what was recorded to what it is now, cut to what a person would read. */
  readonly diff: string;
};

export type DivergingPart =
  /** How a call ended, and only what it answered. */
  | 'outcome'
  | 'answer'
  /** With which rights it ran, and what it was to touch. */
  | 'rights'
  | 'questions'
  /** What the model was told. */
  | 'prompt'
  | 'tools'
  | 'settings'
  | 'context'
  /** That the conversation was told shorter. */
  | 'history'
  /** Calls that were never reached. */
  | 'calls'
  | 'end';

/** Undefined when both are the same. */
export function divergenceBetween(
  recorded: string,
  replayed: string,
  where: Omit<Divergence, 'diff'>,
): Divergence | undefined {
  return recorded === replayed ? undefined : { ...where, diff: shortDiff(recorded, replayed) };
}

export function placeOf({ number, call, own }: RecordedCall): NonNullable<Divergence['call']> {
  return { number, id: own ?? call.id, name: call.name };
}

const MOST_LINES = 60;
/** Of those that only one side has, one after another: what the other has instead should be seen, too. */
const MOST_OF_A_KIND = 12;

function shortDiff(recorded: string, replayed: string): string {
  const end = recorded.endsWith('\n') && replayed.endsWith('\n') ? '' : '\n';
  const lines = hunksBetween(broken(recorded) + end, broken(replayed) + end)
    .split('\n')
    .slice(0, -1);
  return atMost(
    MOST_LINES,
    runsOf(lines).flatMap((run) => atMost(MOST_OF_A_KIND, run)),
  ).join('\n');
}

/** Lines that begin alike, together. */
function runsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const runs: string[][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.[0]?.[0] === line[0]) last?.push(line);
    else runs.push([line]);
  }
  return runs;
}

function atMost(most: number, lines: readonly string[]): readonly string[] {
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), `… ${rest} more lines`] : lines;
}

/** Long lines are broken where there is room, so that what has changed in one is seen. */
function broken(text: string): string {
  return text.replaceAll(LONG, '$&\n');
}

const LONG = /(?:.{80,119}[\t ]|.{120})(?=.)/gu;
