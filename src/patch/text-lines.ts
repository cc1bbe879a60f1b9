/**
 * The bytes of a file as lines: what each one says, how it ends, and where it stands. A line is cut out only when somebody
 * asks what it says, because most lines of a long file are nobody's business.
 */
import { readBytes } from './byte-text.js';
import type { LineSieve } from './line-sieve.js';
import type { Ending } from './patch.js';

export interface TextLines {
  readonly count: number;
  /** Without its ending, as text of bytes. */
  line(at: number): string;
  /** All of them. */
  all(): readonly string[];
  /** Those that the sieve has kept, in order. */
  readonly kept: readonly number[];
  /** How a line ends. One that has no newline ends as the line before it does. */
  endingOf(line: number): Ending;
  /** The whole lines from one on, up to another one, as they stand in the file. */
  between(start: number, end: number): Uint8Array;
}

export function textLines(content: Uint8Array, sieve: LineSieve): TextLines {
  const text = readBytes(content);
  const { count, starts, kept } = scanLines(text, sieve);
  const startOf = (line: number): number => (line < count ? (starts[line] ?? 0) : text.length);
  const isOpen = (line: number): boolean => line === count - 1 && !text.endsWith('\n');
  const lineAt = (at: number): string => {
    const next = startOf(at + 1);
    return text.slice(startOf(at), isOpen(at) ? next : textEnd(text, startOf(at), next - 1));
  };
  return {
    count,
    line: lineAt,
    all: () => Array.from({ length: count }, (_, at) => lineAt(at)),
    kept,
    endingOf(line) {
      const whole = isOpen(line) ? line - 1 : line;
      return whole >= 0 && text.endsWith('\r\n', startOf(whole + 1)) ? '\r\n' : '\n';
    },
    between: (start, end) => content.subarray(startOf(start), startOf(end)),
  };
}

type Scanned = {
  readonly count: number;
  /** At least as many as there are lines. */
  readonly starts: Int32Array;
  readonly kept: readonly number[];
};

/** How long lines are taken to be until it turns out otherwise. */
const USUAL_LENGTH = 32;

function scanLines(text: string, sieve: LineSieve): Scanned {
  const kept: number[] = [];
  let starts = new Int32Array(Math.ceil(text.length / USUAL_LENGTH));
  let count = 0;
  for (let start = 0; start < text.length;) {
    if (count === starts.length) starts = doubled(starts);
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : textEnd(text, start, newline);
    if (sieve.keeps(text, start, end)) kept.push(count);
    starts[count] = start;
    count += 1;
    start = newline < 0 ? text.length : newline + 1;
  }
  return { count, starts, kept };
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

/** A return before the newline is part of it. */
function textEnd(text: string, start: number, newline: number): number {
  return newline > start && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
}
