/** The lines of a unified diff that are not content: where a file or hunk begins, and what is said of a last line. */
import type { HunkLine } from './patch.js';

export const NO_NEWLINE = /^\\ /;

const RANGES = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

export function isGitHeader(line: string | undefined): boolean {
  return line?.startsWith('diff --git ') === true;
}

/** Whether the part about another file begins here. */
export function isFileHeader(lines: readonly string[], at: number): boolean {
  return isGitHeader(lines[at]) || isNamePair(lines, at);
}

export function isNamePair(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith('--- ') === true && lines[at + 1]?.startsWith('+++ ') === true;
}

export type Ranges = { readonly start: number; readonly old: number; readonly fresh: number };

/** What a hunk header says of its lines; lines are counted from 1. */
export function statedRanges(header: string): Ranges | undefined {
  const found = RANGES.exec(header);
  if (found === null) return undefined;
  const [, start, old = '1', , fresh = '1'] = found;
  return { start: Number(start), old: Number(old), fresh: Number(fresh) };
}

/** Where the hunk begins, counted from 0; an empty range is named by the line before it. */
export function statedPosition(header: string): number | undefined {
  const ranges = statedRanges(header);
  return ranges && Math.max(0, ranges.old === 0 ? ranges.start : ranges.start - 1);
}

/**
 * Whether the file ends with a newline afterwards. Only a hunk with a mark at a last line tells: the mark stands for the
 * side that the line is on.
 */
export function finalNewlineOf(lines: readonly HunkLine[], bare: ReadonlySet<HunkLine>): boolean | undefined {
  if (bare.size === 0) return undefined;
  return !lines.some((line) => line.mark !== '-' && bare.has(line));
}
