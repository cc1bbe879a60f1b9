/** Where the lines stand that a patch speaks of, so that finding a few lines among many does not mean looking at all. */
import { BYTE_ORDER_MARK, toByteText } from './byte-text.js';
import { EXACT } from './matching-passes.js';
import type { MatchingPass } from './matching-passes.js';
import type { Patch } from './patch.js';
import type { TextLines } from './text-lines.js';

export interface LineIndex {
  /** The same number for equal lines, and none below 0 for those that the patch speaks of. */
  readonly numbers: Int32Array;
  /** The numbers of lines that the patch speaks of, or undefined when one of them occurs nowhere. */
  numbersOf(lines: readonly string[]): Int32Array | undefined;
  /** Where the line with this number stands, in order. */
  positionsOf(number: number): Int32Array;
  /** In how many places that is. */
  countOf(number: number): number;
}

/** All lines that a patch speaks of, made equal as a pass does. */
export type SpokenLines = (pass: MatchingPass) => ReadonlySet<string>;

export function spokenLines(patch: Patch): SpokenLines {
  const byPass = new Map<MatchingPass, ReadonlySet<string>>();
  return (pass) => {
    const known = byPass.get(pass) ?? spokenIn(patch, pass);
    byPass.set(pass, known);
    return known;
  };
}

export function lineIndex(text: TextLines, pass: MatchingPass, spoken: ReadonlySet<string>): LineIndex {
  const { normalise } = pass;
  const known = new Map<string, number>();
  const numbers = new Int32Array(text.count).fill(-1);
  const places: number[] = [];
  const take = (at: number, line: string): void => {
    if (!spoken.has(line)) return;
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    numbers[at] = number;
    places.push(at);
  };
  if (pass === EXACT) for (const at of text.kept) take(at, text.line(at));
  else for (const [at, line] of text.all().entries()) take(at, normalise(line));
  const { offsets, positions } = byNumber(numbers, places, known.size);
  return {
    numbers,
    numbersOf(wanted) {
      const found = new Int32Array(wanted.length);
      for (const [at, line] of wanted.entries()) {
        const number = known.get(normalise(line));
        if (number === undefined) return undefined;
        found[at] = number;
      }
      return found;
    },
    positionsOf: (number) => positions.subarray(offsets[number], offsets[number + 1]),
    countOf: (number) => (offsets[number + 1] ?? 0) - (offsets[number] ?? 0),
  };
}

function spokenIn({ sections }: Patch, { normalise }: MatchingPass): ReadonlySet<string> {
  const spoken = new Set<string>();
  const speakOf = (line: string): void => void spoken.add(normalise(line));
  for (const section of sections) {
    if (section.kind === 'replace') {
      for (const line of toByteText(section.original + '\n' + section.updated).split(/\r?\n/)) speakOf(line);
    }
    if (section.kind !== 'update' && section.kind !== 'delete') continue;
    for (const { context, lines } of section.hunks) {
      for (const text of context) [toByteText(text), toByteText(text.replace(/ @@$/, ''))].forEach(speakOf);
      for (const { text } of lines) speakWithAndWithoutMark(toByteText(text), speakOf);
    }
  }
  return spoken;
}

function speakWithAndWithoutMark(line: string, speakOf: (line: string) => void): void {
  speakOf(line);
  if (line.startsWith(BYTE_ORDER_MARK)) speakOf(line.slice(BYTE_ORDER_MARK.length));
}

/** All places in one row, those of one number side by side. */
function byNumber(
  numbers: Int32Array,
  places: readonly number[],
  count: number,
): { readonly offsets: Int32Array; readonly positions: Int32Array } {
  const numberAt = (place: number): number => numbers[place] ?? 0;
  const offsets = new Int32Array(count + 1);
  for (const place of places) offsets[numberAt(place) + 1] = (offsets[numberAt(place) + 1] ?? 0) + 1;
  for (let number = 0; number < count; number += 1) {
    offsets[number + 1] = (offsets[number + 1] ?? 0) + (offsets[number] ?? 0);
  }
  const next = offsets.slice();
  const positions = new Int32Array(places.length);
  for (const place of places) {
    const slot = next[numberAt(place)] ?? 0;
    positions[slot] = place;
    next[numberAt(place)] = slot + 1;
  }
  return { offsets, positions };
}
