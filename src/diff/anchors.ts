/** Lines that stand just once in each of two lists, as many of them as keep their order: there the lists surely agree. */
/** Lines `[start, end)` of one list and `[newStart, newEnd)` of the other. */
export type Part = { readonly start: number; readonly end: number; readonly newStart: number; readonly newEnd: number };

export type Anchor = { readonly old: number; readonly fresh: number };

/** In order. */
export function commonAnchors(before: readonly string[], after: readonly string[], part: Part): readonly Anchor[] {
  const places = singlePlaces(before, part);
  // Where each line of the first list stands in the second, from one on; -1 where that is more than one place.
  const partners = new Int32Array(part.end);
  for (let fresh = part.newStart; fresh < part.newEnd; fresh++) {
    const old = places.get(after[fresh] ?? '') ?? -1;
    if (old >= 0) partners[old] = partners[old] === 0 ? fresh + 1 : -1;
  }
  const pairs: Anchor[] = [];
  for (let old = part.start; old < part.end; old++) {
    const fresh = (partners[old] ?? 0) - 1;
    if (fresh >= 0) pairs.push({ old, fresh });
  }
  return longestRise(pairs);
}

/** Where each line of the first list stands; -1 for one that stands there more than once. */
function singlePlaces(lines: readonly string[], { start, end }: Part): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let index = start; index < end; index++) {
    const line = lines[index] ?? '';
    places.set(line, places.has(line) ? -1 : index);
  }
  return places;
}

/** The most pairs whose second numbers rise as the first ones do: each is put on the lowest pile that it fits on. */
function longestRise(pairs: readonly Anchor[]): readonly Anchor[] {
  const tops: number[] = [];
  const below = new Int32Array(pairs.length);
  for (const [index, { fresh }] of pairs.entries()) {
    const pile = pileFor(tops, pairs, fresh);
    below[index] = tops[pile - 1] ?? -1;
    tops[pile] = index;
  }
  const rise: Anchor[] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = below[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) rise.push(pair);
  }
  return rise.toReversed();
}

function pileFor(tops: readonly number[], pairs: readonly Anchor[], fresh: number): number {
  let [low, high] = [0, tops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pairs[tops[middle] ?? 0]?.fresh ?? 0) < fresh) low = middle + 1;
    else high = middle;
  }
  return low;
}
