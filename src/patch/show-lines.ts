/** Lines of a file for a model to read: with their numbers, and no longer or more than it needs. */
import { fromByteText } from './byte-text.js';

const MOST_CHARACTERS = 200;
const MOST_LINES = 12;

/** At most a dozen, with the line of interest among them. */
export function shownLines(lines: readonly string[], start: number, end: number, interest: number): readonly string[] {
  const first = end - start <= MOST_LINES ? start : Math.max(start, Math.min(interest - 3, end - MOST_LINES));
  const last = Math.min(end, first + MOST_LINES);
  const width = `${last}`.length + 2;
  return lines
    .slice(first, last)
    .map((line, at) => `${`${first + at + 1}`.padStart(width)}| ${cut(fromByteText(line))}`);
}

export function shownLine(line: string): string {
  return JSON.stringify(cut(fromByteText(line)));
}

/** Counted from 1: `3, 17 and 40`, or with `and more` when there are more than `most`. */
export function placeList(places: readonly number[], most: number): string {
  const numbers = places.slice(0, most).map((place) => `${place + 1}`);
  if (places.length > most) return `${numbers.join(', ')} and more`;
  return numbers.length < 2 ? numbers.join('') : `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
