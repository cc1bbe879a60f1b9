/**
 * Tells at a glance that a line is none of those that a patch speaks of, by its length and a few of its characters. What
 * is left has to be looked at; of a long file that is next to nothing.
 */

export interface LineSieve {
  /** False for most lines that are none of those; never for one that is. The line is a part of a text. */
  keeps(text: string, start: number, end: number): boolean;
}

const TRAITS = 65_536;

export function lineSieve(lines: Iterable<string>): LineSieve {
  const kept = new Uint8Array(TRAITS);
  for (const line of lines) kept[traitOf(line, 0, line.length)] = 1;
  return { keeps: (text, start, end) => kept[traitOf(text, start, end)] === 1 };
}

/** Lines are often alike at their ends, and differ somewhere after the indentation. */
function traitOf(text: string, start: number, end: number): number {
  const length = end - start;
  if (length < 4) return length;
  const quarter = start + (length >> 2);
  const middle = start + (length >> 1);
  let trait = Math.imul(length, 31) + text.charCodeAt(quarter - 1);
  trait = Math.imul(trait, 31) + text.charCodeAt(quarter);
  trait = Math.imul(trait, 31) + text.charCodeAt(quarter + 1);
  trait = Math.imul(trait, 31) + text.charCodeAt(middle);
  return trait & (TRAITS - 1);
}
