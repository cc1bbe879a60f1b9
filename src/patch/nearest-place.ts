/** The place in a file that a hunk most likely meant. The work grows with the file, never with its square. */
import { indexOf } from './draft.js';
import type { Draft } from './draft.js';
import type { LineIndex } from './line-index.js';
import { SPACED } from './matching-passes.js';

/** Lines that occur more often say little about a place. */
const MOST_OCCURRENCES = 50;
const MOST_VOTERS = 200;
const MOST_DRIFT = 5;
/** Of long lines only the beginning is compared, of long files only so many lines. */
const MOST_CHARACTERS = 300;
const MOST_LINES = 200_000;
/** A line without any of the longest words is not looked at further. */
const MOST_TELLING = 3;
const LEAST_LIKENESS = 0.5;

/** From which line of the file to which these lines would stand. May lie partly outside of the file. */
type Range = { readonly start: number; readonly end: number };

export function similarPlace(draft: Draft, old: readonly string[]): Range | undefined {
  const byVote = votedPlace(draft, old);
  if (byVote !== undefined) return byVote;
  const telling = old.reduce((longest, line) => (line.trim().length > longest.trim().length ? line : longest), '');
  const line = similarLine(draft.text.all(), telling);
  if (line === undefined) return undefined;
  const start = line - old.indexOf(telling);
  return { start, end: start + old.length };
}

/** The line with the most words in common with this one. */
export function similarLine(lines: readonly string[], wanted: string): number | undefined {
  const words = new Set(wordsOf(wanted));
  const telling = [...words].toSorted((a, b) => b.length - a.length).slice(0, MOST_TELLING);
  let [best, likeness] = [-1, LEAST_LIKENESS];
  for (let at = 0; words.size > 0 && at < Math.min(lines.length, MOST_LINES); at += 1) {
    const line = lines[at] ?? '';
    if (!telling.some((word) => line.includes(word))) continue;
    const others = new Set(wordsOf(line));
    let shared = 0;
    for (const word of others) if (words.has(word)) shared += 1;
    const like = (2 * shared) / (words.size + others.size);
    if (like > likeness || (best < 0 && like === likeness)) [best, likeness] = [at, like];
  }
  return best < 0 ? undefined : best;
}

/**
 * Each line that the file has as well votes for the place where the hunk would begin; rare lines count more. Votes for
 * places close by tell of lines that are missing or too many in between.
 */
function votedPlace(draft: Draft, old: readonly string[]): Range | undefined {
  const votes = votesFor(indexOf(draft, SPACED), old);
  let best: number | undefined;
  for (const [place, weight] of votes) if (weight > (votes.get(best ?? NaN) ?? 0)) best = place;
  if (best === undefined) return undefined;
  const start = best;
  const close = [...votes.keys()].filter((place) => Math.abs(place - start) <= MOST_DRIFT);
  return { start: Math.min(...close), end: Math.max(...close) + old.length };
}

function votesFor(index: LineIndex, old: readonly string[]): ReadonlyMap<number, number> {
  const votes = new Map<number, number>();
  for (const [at, line] of old.slice(0, MOST_VOTERS).entries()) {
    const number = line.trim() === '' ? undefined : index.numbersOf([line])?.[0];
    const places = number === undefined ? [] : index.positionsOf(number);
    if (places.length > MOST_OCCURRENCES) continue;
    for (const place of places) votes.set(place - at, (votes.get(place - at) ?? 0) + 1 / places.length);
  }
  return votes;
}

function wordsOf(line: string): readonly string[] {
  return line.slice(0, MOST_CHARACTERS).match(/[\w\u0080-\u00ff]+|[^\s\w]/g) ?? [];
}
