/**
 * Which lines to take out and put in to get from one list to another: by the greedy method of Myers, the fewest there can
 * be. Where they are many, the lists are first cut at lines that stand in each of them just once, and the pieces compared.
 * Past a bound of edits a whole piece counts as replaced, so that time and memory stay small.
 */
import { commonAnchors } from './anchors.js';
import type { Part } from './anchors.js';

/** What stands in the one became what stands in the other. */
export type Edit = Part;

const MOST_EDITS = 1000;
/** Up to here the search costs less than the cutting. */
const FEW_EDITS = 200;
/** The search for a number of edits takes about the square of it in steps; this many are spent on all pieces together. */
const MOST_STEPS = 10_000_000;

export function lineDiff(before: readonly string[], after: readonly string[], mostEdits = MOST_EDITS): readonly Edit[] {
  const whole = { start: 0, end: before.length, newStart: 0, newEnd: after.length };
  const few = Math.min(mostEdits, FEW_EDITS);
  return fewestEdits(before, after, whole, few) ?? pieceByPiece(before, after, { whole, mostEdits });
}

type InPieces = { readonly whole: Edit; readonly mostEdits: number };

function pieceByPiece(
  before: readonly string[],
  after: readonly string[],
  { whole, mostEdits }: InPieces,
): readonly Edit[] {
  const edits: Edit[] = [];
  let { start, newStart } = whole;
  let steps = MOST_STEPS;
  const end = { old: whole.end, fresh: whole.newEnd };
  for (const { old, fresh } of [...commonAnchors(before, after, trimmed(before, after, whole)), end]) {
    const piece = { start, end: old, newStart, newEnd: fresh };
    const most = Math.min(mostEdits, Math.floor(Math.sqrt(steps)));
    const found = fewestEdits(before, after, piece, most);
    steps -= found === undefined ? most ** 2 : stepsFor(found);
    for (const edit of found ?? [trimmed(before, after, piece)]) edits.push(edit);
    [start, newStart] = [old + 1, fresh + 1];
  }
  return edits;
}

/** Where one side is empty, there is nothing to search. */
function stepsFor(found: readonly Edit[]): number {
  const [first] = found;
  if (found.length === 1 && (first?.start === first?.end || first?.newStart === first?.newEnd)) return 0;
  return found.reduce((sum, { start, end, newStart, newEnd }) => sum + end - start + newEnd - newStart, 0) ** 2;
}

/** Undefined when they are more than `most`. */
function fewestEdits(
  before: readonly string[],
  after: readonly string[],
  piece: Edit,
  most: number,
): readonly Edit[] | undefined {
  const middle = trimmed(before, after, piece);
  const { start, end, newStart, newEnd } = middle;
  if (start === end && newStart === newEnd) return [];
  if (start === end || newStart === newEnd) return [middle];
  const [old, fresh] = [before.slice(start, end), after.slice(newStart, newEnd)];
  const path = shortestPath(old, fresh, most);
  return path && editsOf(path, old.length, fresh.length).map((edit) => moved(edit, middle));
}

/** Without what both begin and end with. */
function trimmed(before: readonly string[], after: readonly string[], piece: Edit): Edit {
  let { start, end, newStart, newEnd } = piece;
  while (start < end && newStart < newEnd && before[start] === after[newStart])
    [start, newStart] = [start + 1, newStart + 1];
  while (start < end && newStart < newEnd && before[end - 1] === after[newEnd - 1])
    [end, newEnd] = [end - 1, newEnd - 1];
  return { start, end, newStart, newEnd };
}

function moved(edit: Edit, { start, newStart }: Edit): Edit {
  return {
    start: edit.start + start,
    end: edit.end + start,
    newStart: edit.newStart + newStart,
    newEnd: edit.newEnd + newStart,
  };
}

/** Where the two lists agree on a line, in order. */
type Match = { readonly old: number; readonly fresh: number };

/** For each number of edits, how far down each diagonal one gets; read backwards it is the way there. */
function shortestPath(old: readonly string[], fresh: readonly string[], most: number): readonly Match[] | undefined {
  const limit = Math.min(most, old.length + fresh.length);
  const trace: Int32Array[] = [];
  let reach = new Int32Array(3);
  for (let edits = 0; edits <= limit; edits++) {
    const next = new Int32Array(2 * edits + 3);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const from = edits === 0 ? 0 : furthest(reach, edits, diagonal);
      const x = slide(old, fresh, from, diagonal);
      next[diagonal + edits + 1] = x;
      if (x >= old.length && x - diagonal >= fresh.length) return walkBack(trace, { edits, diagonal, x });
    }
    trace.push(next);
    reach = next;
  }
  return undefined;
}

/** The better of one line put in and one taken out, seen from the round before. */
function furthest(reach: Int32Array, edits: number, diagonal: number): number {
  const put = diagonal === edits ? -1 : at(reach, edits - 1, diagonal + 1);
  const taken = diagonal === -edits ? -1 : at(reach, edits - 1, diagonal - 1) + 1;
  return Math.max(put, taken);
}

function at(reach: Int32Array, edits: number, diagonal: number): number {
  return reach[diagonal + edits + 1] ?? 0;
}

function slide(old: readonly string[], fresh: readonly string[], from: number, diagonal: number): number {
  let x = from;
  while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
  return x;
}

type Point = { readonly edits: number; readonly diagonal: number; readonly x: number };

function walkBack(trace: readonly Int32Array[], end: Point): readonly Match[] {
  const matches: Match[] = [];
  let { edits, diagonal, x } = end;
  for (; edits >= 0; edits--) {
    const reach = trace[edits - 1];
    const from = reach === undefined ? 0 : furthest(reach, edits, diagonal);
    for (; x > from; x--) matches.push({ old: x - 1, fresh: x - 1 - diagonal });
    if (reach === undefined) break;
    const isPut = diagonal !== edits && at(reach, edits - 1, diagonal + 1) === from;
    x = isPut ? from : from - 1;
    diagonal += isPut ? 1 : -1;
  }
  return matches.toReversed();
}

function editsOf(matches: readonly Match[], oldLength: number, freshLength: number): readonly Edit[] {
  const edits: Edit[] = [];
  let [start, newStart] = [0, 0];
  for (const match of [...matches, { old: oldLength, fresh: freshLength }]) {
    if (match.old > start || match.fresh > newStart) {
      edits.push({ start, end: match.old, newStart, newEnd: match.fresh });
    }
    [start, newStart] = [match.old + 1, match.fresh + 1];
  }
  return edits;
}
