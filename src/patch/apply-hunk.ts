/** One hunk: its place is found, and its changes are made there. What the file has comes before what the patch added. */
import type { AbsolutePath } from '../core/paths.js';
import { isPlain, toByteText } from './byte-text.js';
import { settle } from './draft.js';
import type { Draft } from './draft.js';
import { editAt } from './edit-draft.js';
import { ambiguity, contextMiss, linesMiss } from './explain-miss.js';
import { EXACT, PASSES } from './matching-passes.js';
import type { PatchError } from './patch-error.js';
import type { Hunk } from './patch.js';
import { oldLines, placeHunk } from './place-hunk.js';
import type { Place } from './place-hunk.js';

/** What the model should know of how it was placed, or undefined. */
export function applyHunk(draft: Draft, given: Hunk, path: AbsolutePath): string | undefined {
  const hunk = inBytes(given);
  const place = foundPlace(draft, hunk);
  if (place.kind !== 'found') throw failure(draft, hunk, place, path);
  const isLast = place.at + oldLines(place.lines).length === draft.text.count;
  editAt(draft, place.at, place.lines);
  if (isLast && hunk.finalNewline !== undefined) draft.finalNewline = hunk.finalNewline;
  const alike = place.pass?.words === undefined ? '' : ` ${place.pass.words}`;
  const elsewhere = hunk.atEnd && !isLast ? ', which is not the end of the file' : '';
  return alike + elsewhere === '' ? undefined : `matched line ${place.at + 1 - draft.shift}${alike}${elsewhere}`;
}

function inBytes(hunk: Hunk): Hunk {
  if (hunk.context.every(isPlain) && hunk.lines.every(({ text }) => isPlain(text))) return hunk;
  return {
    ...hunk,
    context: hunk.context.map(toByteText),
    lines: hunk.lines.map((line) => ({ ...line, text: toByteText(line.text) })),
  };
}

/** Lines as they are written count more than lines that are alike, also where the patch itself has put them. */
function foundPlace(draft: Draft, hunk: Hunk): Place {
  const exact = placeHunk(draft, hunk, [EXACT]);
  if (isSettled(exact)) return exact;
  if ([...hunk.context, ...oldLines(hunk.lines)].some((line) => draft.added.has(line))) {
    settle(draft);
    const again = placeHunk(draft, hunk, [EXACT]);
    if (isSettled(again)) return again;
  }
  const alike = placeHunk(draft, hunk, PASSES);
  if (isSettled(alike) || draft.edits.length === 0) return alike;
  settle(draft);
  return placeHunk(draft, hunk, PASSES);
}

function isSettled(place: Place): boolean {
  return place.kind === 'found' || (place.kind === 'ambiguous' && place.certain);
}

function failure(draft: Draft, hunk: Hunk, place: Exclude<Place, { kind: 'found' }>, path: AbsolutePath): PatchError {
  if (place.kind === 'ambiguous') return ambiguity(hunk, place.at, path);
  return place.kind === 'no-context' ? contextMiss(draft, place.context, path) : linesMiss(draft, hunk, path);
}
