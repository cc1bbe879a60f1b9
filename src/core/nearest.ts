/** The candidate somebody most likely meant, for "did you mean". */

/** Nobody mistypes a name as long as this. */
const LONGEST_NAME = 100;

export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length > LONGEST_NAME) return undefined;
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const scored = candidates
    .map((candidate) => ({ candidate, distance: editDistance(typed.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return scored[0]?.candidate;
}

/** How many letters are wrong, missing or too many. Two neighbours that changed places count as one. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
