/** The hunks of a unified diff between two texts, with three lines around each change. */
import { lineDiff } from './line-diff.js';
import type { Edit } from './line-diff.js';

const CONTEXT = 3;

export function hunksBetween(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return grouped(lineDiff(old, fresh))
    .map((edits) => hunkText(edits, old, fresh))
    .join('');
}

/** Each line with its end, so that a last line without one differs from the same line with one. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Changes whose surroundings touch share a hunk. */
function grouped(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && edit.start - last.end <= 2 * CONTEXT) groups.at(-1)?.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function hunkText(edits: readonly Edit[], old: readonly string[], fresh: readonly string[]): string {
  const [first, last] = [edits[0], edits.at(-1)];
  if (first === undefined || last === undefined) return '';
  const start = Math.max(0, first.start - CONTEXT);
  const end = Math.min(old.length, last.end + CONTEXT);
  const newStart = first.newStart - (first.start - start);
  const newEnd = last.newEnd + (end - last.end);
  const lines = [`@@ -${range(start, end)} +${range(newStart, newEnd)} @@\n`];
  let at = start;
  for (const edit of edits) {
    lines.push(...old.slice(at, edit.start).map(marked(' ')));
    lines.push(...old.slice(edit.start, edit.end).map(marked('-')));
    lines.push(...fresh.slice(edit.newStart, edit.newEnd).map(marked('+')));
    at = edit.end;
  }
  return [...lines, ...old.slice(at, end).map(marked(' '))].join('');
}

/** Lines are counted from one; an empty range is named by the line before it. */
function range(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return `${start + 1}`;
  return `${count === 0 ? start : start + 1},${count}`;
}

function marked(mark: ' ' | '-' | '+'): (line: string) => string {
  return (line) => (line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`);
}
