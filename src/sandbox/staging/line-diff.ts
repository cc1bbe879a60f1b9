/**
 * Which lines to take out and put in to get from one list to another, by the greedy method of Myers: the fewest there
 * can be. Past a bound of edits the whole middle counts as replaced, so that time and memory stay small.
 */

/** Lines `[start, end)` of the first list became lines `[newStart, newEnd)` of the second. */
export type Edit = { readonly start: number; readonly end: number; readonly newStart: number; readonly newEnd: number };

const MOST_EDITS = 1000;

export function lineDiff(before: readonly string[], after: readonly string[], mostEdits = MOST_EDITS): readonly Edit[] {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (old.length === 0 && fresh.length === 0) return [];
  const path = old.length === 0 || fresh.length === 0 ? undefined : shortestPath(old, fresh, mostEdits);
  const edits = path === undefined ? [wholly(old, fresh)] : editsOf(path, old.length, fresh.length);
  return edits.map(({ start, end, newStart, newEnd }) => ({
    start: start + head,
    end: end + head,
    newStart: newStart + head,
    newEnd: newEnd + head,
  }));
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

function wholly(old: readonly string[], fresh: readonly string[]): Edit {
  return { start: 0, end: old.length, newStart: 0, newEnd: fresh.length };
}

function commonHead(before: readonly string[], after: readonly string[]): number {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  return head;
}

function commonTail(before: readonly string[], after: readonly string[], head: number): number {
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return tail;
}
