/**
 * A file while a patch changes it. Changes are kept apart from the lines they are made to, so that each hunk costs only
 * what it says; the text is put together at the end, or when a hunk builds on what an earlier one added.
 */
import { BYTE_ORDER_MARK, writeBytes } from './byte-text.js';
import { spend } from './find-lines.js';
import type { Effort } from './find-lines.js';
import { lineIndex } from './line-index.js';
import type { LineIndex, SpokenLines } from './line-index.js';
import type { LineSieve } from './line-sieve.js';
import type { MatchingPass } from './matching-passes.js';
import type { Ending } from './patch.js';
import { textLines } from './text-lines.js';
import type { TextLines } from './text-lines.js';

export type Draft = {
  text: TextLines;
  hasByteOrderMark: boolean;
  /** Whether the last line is to end with a newline. */
  finalNewline: boolean;
  edits: Edit[];
  /** What the edits so far add. */
  readonly added: Set<string>;
  /** The lines that edits took away. */
  removed: Set<number>;
  readonly indexes: Map<MatchingPass, LineIndex>;
  /** After the lines of the hunk before, and after the last of them that it changed. */
  cursor: number;
  changedTo: number;
  /** By how much the lines after the cursor have moved from where the patch knows them. */
  shift: number;
  readonly work: Work;
};

/** What all files of a patch share. */
export type Work = {
  readonly spoken: SpokenLines;
  /** Keeps the lines that the patch speaks of. */
  readonly sieve: LineSieve;
  readonly effort: Effort;
};

/** Lines from `start` up to `end` give way to these. */
type Edit = { readonly start: number; readonly end: number; readonly lines: readonly AddedLine[] };
export type AddedLine = { readonly text: string; readonly ending: Ending };

const MARK = writeBytes(BYTE_ORDER_MARK);

/** What putting a line into place anew costs, as measured by comparing two. */
const SETTLING = 30;

export function openDraft(content: Uint8Array, work: Work): Draft {
  const hasByteOrderMark = MARK.every((byte, at) => content[at] === byte);
  const bytes = hasByteOrderMark ? content.subarray(MARK.length) : content;
  return {
    text: textLines(bytes, work.sieve),
    hasByteOrderMark,
    finalNewline: bytes.length === 0 || endsWith(bytes, '\n'),
    edits: [],
    added: new Set(),
    removed: new Set(),
    indexes: new Map(),
    cursor: 0,
    changedTo: 0,
    shift: 0,
    work,
  };
}

export function draftContent(draft: Draft): Uint8Array {
  const bytes = editedBytes(draft);
  return draft.hasByteOrderMark && bytes.length > 0 ? Buffer.concat([MARK, bytes]) : bytes;
}

/** Another part of the patch begins with the file once more: places are looked for from its beginning. */
export function rewind(draft: Draft): void {
  draft.cursor = 0;
  draft.changedTo = 0;
  draft.shift = 0;
}

/** Puts the text together, so that the next hunk finds what the ones before have made. */
export function settle(draft: Draft): void {
  spend(draft.work.effort, draft.text.count * SETTLING);
  const before = draft.edits.filter((edit) => edit.end <= draft.cursor);
  const shift = before.reduce((sum, edit) => sum + edit.lines.length - (edit.end - edit.start), 0);
  draft.text = textLines(editedBytes(draft), draft.work.sieve);
  draft.edits = [];
  draft.added.clear();
  draft.removed = new Set();
  draft.indexes.clear();
  draft.cursor += shift;
  draft.changedTo += shift;
  draft.shift += shift;
}

export function indexOf(draft: Draft, pass: MatchingPass): LineIndex {
  const known = draft.indexes.get(pass);
  if (known !== undefined) return known;
  const index = lineIndex(draft.text, pass, draft.work.spoken(pass));
  draft.indexes.set(pass, index);
  return index;
}

/** Edits come in any order, and none is inside another. Of two at the same place the earlier one goes first. */
function editedBytes({ text, edits, finalNewline }: Draft): Uint8Array {
  const pieces: Uint8Array[] = [];
  const lastLine = text.count - 1;
  let at = 0;
  /** How the last piece ends, where an edit and not the file decides. */
  let ending: Ending | undefined;
  const keepTo = (line: number): void => {
    if (line > at) ending = undefined;
    pieces.push(text.between(at, line));
  };
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    keepTo(edit.start);
    const follows = edit.start > lastLine && lastLine >= at && edit.lines.length > 0;
    const kept = pieces.at(-1);
    if (follows && kept && !endsWith(kept, '\n')) pieces.push(writeBytes(text.endingOf(lastLine)));
    for (const line of edit.lines) pieces.push(writeBytes(line.text + (ending = line.ending)));
    at = edit.end;
  }
  keepTo(lastLine + 1);
  const whole = Buffer.concat(pieces);
  return finalNewline ? withNewline(whole, text.endingOf(lastLine)) : withoutNewline(whole, ending);
}

function withNewline(bytes: Uint8Array, ending: Ending): Uint8Array {
  return bytes.length === 0 || endsWith(bytes, '\n') ? bytes : Buffer.concat([bytes, writeBytes(ending)]);
}

/** A return before the newline is part of it, unless the newline is known to be written without. */
function withoutNewline(bytes: Uint8Array, ending: Ending = '\r\n'): Uint8Array {
  if (endsWith(bytes, ending)) return bytes.subarray(0, -ending.length);
  return endsWith(bytes, '\n') ? bytes.subarray(0, -1) : bytes;
}

function endsWith(bytes: Uint8Array, ending: Ending): boolean {
  const start = bytes.length - ending.length;
  return start >= 0 && [...ending].every((character, at) => bytes[start + at] === character.charCodeAt(0));
}
