/** How long one piece of work took, in minutes. */
export function minutesOf({ from, to }) {
  return to - from;
}

/** The minutes of each kind of work, in the order in which they first appear. */
export function totals(entries) {
  const sums = new Map();
  for (const entry of entries) sums.set(entry.what, (sums.get(entry.what) ?? 0) + minutesOf(entry));
  return sums;
}

export function inHours(minutes) {
  return `${Math.trunc(minutes / 60)}h ${minutes % 60}m`;
}
