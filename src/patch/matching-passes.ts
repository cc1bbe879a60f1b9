/**
 * In which sense a line of a file is the line that a patch means. Each pass takes more lines as equal than the one
 * before; whichever finds the lines first is told, unless it is the exact one.
 */
import { fromByteText, isPlain } from './byte-text.js';

export type MatchingPass = {
  /** How the model is told of it. The exact one is not. */
  readonly words?: string;
  /** Lines are equal when this makes them the same. */
  readonly normalise: (line: string) => string;
};

export const EXACT: MatchingPass = { normalise: (line) => line };

export const SPACED: MatchingPass = {
  words: 'with any run of spaces and tabs taken as one space',
  normalise: spaced,
};

export const PASSES: readonly MatchingPass[] = [
  EXACT,
  { words: 'with whitespace ignored at line ends', normalise: (line) => line.slice(0, textEnd(line)) },
  { words: 'with whitespace ignored at both ends of the lines', normalise: trimmed },
  SPACED,
  {
    words: 'with typographic characters taken as plain ones',
    normalise: (line) => (isPlain(line) ? spaced(line) : spaced(folded(fromByteText(line)))),
  },
];

function trimmed(line: string): string {
  let start = 0;
  const end = textEnd(line);
  while (start < end && isBlank(line.charCodeAt(start))) start += 1;
  return line.slice(start, end);
}

function textEnd(line: string): number {
  let end = line.length;
  while (end > 0 && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** Of bytes only the plain ones are blank: others may be half a character. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function spaced(line: string): string {
  const text = trimmed(line);
  return /[\t-\r]| {2}/.test(text) ? text.replaceAll(/[\t-\r ]+/g, ' ') : text;
}

function folded(text: string): string {
  return text
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u2018-\u201b]/g, "'")
    .replaceAll(/[\u201c-\u201f]/g, '"')
    .replaceAll(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}
