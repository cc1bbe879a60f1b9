/** Finds a row of lines in an index. The rarest of them is looked up, the others are compared. */
import type { LineIndex } from './line-index.js';
import { PatchError } from './patch-error.js';

/** How many lines may still be compared for one patch. */
export type Effort = { left: number };

/** Only a patch that was made to be slow needs more. */
export const MOST_EFFORT = 300_000_000;

export function spend(effort: Effort, amount: number): void {
  effort.left -= amount;
  if (effort.left < 0) {
    throw new PatchError(
      'the patch takes too long to place. Split it into smaller ones with more distinct context lines.',
    );
  }
}

export interface Finder {
  matchesAt(at: number): boolean;
  /** Positions from `from` on, in order. */
  from(from: number): Iterable<number>;
  /** Positions down to `from`, the last one first. */
  backwards(from: number): Iterable<number>;
  /** The position from `from` on that is nearest to another one; two when both sides are as near. */
  nearest(to: number, from: number): readonly number[];
}

/** Undefined when one of the lines occurs nowhere. `isFree` tells whether lines are still as they were. */
export function finder(
  index: LineIndex,
  wanted: readonly string[],
  isFree: (start: number, end: number) => boolean,
  effort: Effort,
): Finder | undefined {
  const row = index.numbersOf(wanted);
  if (row === undefined || row.length === 0) return undefined;
  const matchesAt = (at: number): boolean => {
    if (at < 0 || at + row.length > index.numbers.length) return false;
    let same = 0;
    while (same < row.length && index.numbers[at + same] === row[same]) same += 1;
    spend(effort, same + 1);
    return same === row.length && isFree(at, at + row.length);
  };
  return walker(index, row, matchesAt);
}

function walker(index: LineIndex, row: Int32Array, matchesAt: (at: number) => boolean): Finder {
  const offset = rarest(index, row);
  const places = index.positionsOf(row[offset] ?? 0);
  const place = (slot: number): number => (places[slot] ?? 0) - offset;
  function* up(slot: number): Iterable<number> {
    for (let next = slot; next < places.length; next += 1) if (matchesAt(place(next))) yield place(next);
  }
  function* down(slot: number, stop: number): Iterable<number> {
    for (let next = slot; next >= 0 && place(next) >= stop; next -= 1) if (matchesAt(place(next))) yield place(next);
  }
  const from = (start: number): Iterable<number> => up(slotAt(places, start + offset));
  return {
    matchesAt,
    from,
    backwards: (stop) => down(places.length - 1, stop),
    nearest(to, start) {
      const [after] = from(Math.max(to, start));
      const [before] = down(slotAt(places, to + offset) - 1, start);
      if (after === undefined || before === undefined) return [after ?? before].filter((each) => each !== undefined);
      if (after - to === to - before) return [before, after];
      return after - to < to - before ? [after] : [before];
    },
  };
}

function rarest(index: LineIndex, row: Int32Array): number {
  let [best, fewest] = [0, Infinity];
  for (let at = 0; at < row.length; at += 1) {
    const count = index.countOf(row[at] ?? 0);
    if (count < fewest) [best, fewest] = [at, count];
  }
  return best;
}

/** The first slot whose place is not before this one. */
function slotAt(places: Int32Array, wanted: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
