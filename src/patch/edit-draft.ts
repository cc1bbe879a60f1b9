/**
 * Makes the changes of a hunk once its place is known. Lines that stay keep the bytes they have in the file. An added line
 * ends as the patch says, else as the line whose place it takes, else as the line before it, else as the one after.
 */
import { BYTE_ORDER_MARK } from './byte-text.js';
import type { AddedLine, Draft } from './draft.js';
import type { Ending, HunkLine } from './patch.js';

/** `lines` are in bytes and begin at line `at`. */
export function editAt(draft: Draft, at: number, lines: readonly HunkLine[]): void {
  let line = at;
  let next = 0;
  while (next < lines.length) {
    const first = next;
    while (next < lines.length && lines[next]?.mark !== ' ') next += 1;
    if (next > first) line = editRun(draft, line, lines.slice(first, next));
    if (next < lines.length) line += 1;
    next += 1;
  }
  draft.cursor = line;
}

/** A run of lines that all come or go. Resolves to the line after those that go. */
function editRun(draft: Draft, start: number, run: readonly HunkLine[]): number {
  const gone = run.filter((line) => line.mark === '-');
  const fresh = run.filter((line) => line.mark === '+');
  const end = start + gone.length;
  const lines = addedLines(draft, start, end, start === 0 ? withoutMark(draft, gone, fresh) : fresh);
  draft.edits.push({ start, end, lines });
  for (const { text } of lines) if (text.trim() !== '') draft.added.add(text);
  for (let line = start; line < end; line += 1) draft.removed.add(line);
  draft.changedTo = end;
  return end;
}

/** The mark belongs to the file, not to its first line; it comes and goes only when the patch shows it. */
function withoutMark(draft: Draft, gone: readonly HunkLine[], fresh: readonly HunkLine[]): readonly HunkLine[] {
  const [first, ...others] = fresh;
  if (first?.text.startsWith(BYTE_ORDER_MARK) === true) {
    draft.hasByteOrderMark = true;
    return [{ ...first, text: first.text.slice(BYTE_ORDER_MARK.length) }, ...others];
  }
  if (gone[0]?.text.startsWith(BYTE_ORDER_MARK) === true) draft.hasByteOrderMark = false;
  return fresh;
}

function addedLines(draft: Draft, start: number, end: number, fresh: readonly HunkLine[]): readonly AddedLine[] {
  const { text } = draft;
  const neighbour = start > 0 ? start - 1 : 0;
  let last: Ending = text.endingOf(neighbour);
  return fresh.map((line, at) => {
    if (start + at < end) last = text.endingOf(start + at);
    last = line.ending ?? last;
    return { text: line.text, ending: last };
  });
}
