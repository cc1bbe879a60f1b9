/** What a model is told when a hunk has no place: the words it knows, then what stands in the file instead. */
import type { AbsolutePath } from '../core/paths.js';
import { fromByteText } from './byte-text.js';
import { indexOf } from './draft.js';
import type { Draft } from './draft.js';
import { finder } from './find-lines.js';
import { differences } from './line-differences.js';
import { PASSES } from './matching-passes.js';
import { similarLine, similarPlace } from './nearest-place.js';
import { PatchError } from './patch-error.js';
import type { Hunk } from './patch.js';
import { MOST_PLACES, oldLines } from './place-hunk.js';
import { placeList, shownLine, shownLines } from './show-lines.js';

const READ_AGAIN = 'Read the file again and write these lines the way they are there.';

export function linesMiss(draft: Draft, hunk: Hunk, path: AbsolutePath): PatchError {
  const old = oldLines(hunk.lines);
  const help = madeAlready(draft, hunk) ?? nearestPlace(draft, old);
  return new PatchError(`Failed to find expected lines in ${path}:\n${fromByteText(old.join('\n'))}\n\n${help}`);
}

export function contextMiss(draft: Draft, context: string, path: AbsolutePath): PatchError {
  const line = similarLine(draft.text.all(), context);
  const help =
    line === undefined
      ? 'No line in it is like that. After @@ give a whole line of the file that stands above the change.'
      : contextHelp(draft, context, line);
  return new PatchError(`Failed to find context '${fromByteText(context)}' in ${path}\n\n${help}`);
}

export function ambiguity(hunk: Hunk, at: readonly number[], path: AbsolutePath): PatchError {
  const advice = 'Add more lines around them, or a @@ line with a line that stands above the right place.';
  const places = `they occur at lines ${placeList(at, MOST_PLACES)}`;
  return new PatchError(
    `Failed to find a unique place for these lines in ${path}: ${places}. ${advice}\n${fromByteText(oldLines(hunk.lines).join('\n'))}`,
  );
}

/** A patch that is sent twice finds its own outcome. */
function madeAlready(draft: Draft, hunk: Hunk): string | undefined {
  const fresh = hunk.lines.filter((line) => line.mark !== '-').map((line) => line.text);
  if (!hunk.lines.some((line) => line.mark === '+' && line.text.trim() !== '')) return undefined;
  const found = PASSES.slice(0, 3).map((pass) =>
    finder(indexOf(draft, pass), fresh, () => true, draft.work.effort)?.from(0),
  );
  for (const places of found) {
    for (const at of places ?? [])
      return `The change seems to be made already at line ${at + 1}. Read the file before you change it again.`;
  }
  return undefined;
}

function nearestPlace(draft: Draft, old: readonly string[]): string {
  const lines = draft.text.all();
  if (lines.length === 0) return 'The file is empty.';
  const place = similarPlace(draft, old);
  if (place === undefined) return `Nothing in the file is like these lines. ${READ_AGAIN}`;
  const start = Math.max(0, place.start);
  const end = Math.min(lines.length, Math.max(place.end, start + 1));
  const found = differences(old, lines, start, end);
  const shown = shownLines(lines, found.from, end, found.first);
  return [`The nearest place is at line ${found.from + 1}:`, ...shown, ...found.words, READ_AGAIN].join('\n');
}

function contextHelp(draft: Draft, context: string, line: number): string {
  const text = draft.text.line(line);
  if (text.trim() === context.trim() && line < draft.cursor) {
    return `It occurs before the place of the hunk above it, as at line ${line + 1}, and more than once. Put the hunks in the order of the file.`;
  }
  return `The nearest line is line ${line + 1}: ${shownLine(text)}\nAfter @@ give a whole line of the file.`;
}
