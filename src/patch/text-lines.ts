/** A text as lines: what each one says, how it ends, and where it stands in the text. */
import type { Ending } from './patch.js';

export interface TextLines {
  /** Without their endings. */
  readonly lines: readonly string[];
  /** How a line ends. One that has no newline ends as the line before it does. */
  endingOf(line: number): Ending;
  /** The whole lines from one on, up to another one, as they stand in the text. */
  between(start: number, end: number): string;
}

export function textLines(text: string): TextLines {
  const hasReturns = text.includes('\r');
  const lines: string[] = [];
  const starts: number[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const returns = hasReturns && newline > start && text.charCodeAt(newline - 1) === 13;
    lines.push(text.slice(start, returns ? end - 1 : end));
    starts.push(start);
    start = end + 1;
  }
  const startOf = (line: number): number => starts[line] ?? text.length;
  const isOpen = (line: number): boolean => line === lines.length - 1 && !text.endsWith('\n');
  return {
    lines,
    endingOf(line) {
      const whole = isOpen(line) ? line - 1 : line;
      return whole >= 0 && text.endsWith('\r\n', startOf(whole + 1)) ? '\r\n' : '\n';
    },
    between: (start, end) => text.slice(startOf(start), startOf(end)),
  };
}
