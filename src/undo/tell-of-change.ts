/** Says what was changed to whoever listens, as a diff where that is short. */
import path from 'node:path';

import type { FileState } from '../core/files.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { stateDiff } from '../diff/state-diff.js';
import { changedFile } from './entry.js';
import type { EntryHeader } from './entry.js';
import type { LogParts } from './parts.js';

/** In bytes, before and after together. */
export const LONGEST_TOLD = 256 * 1024;

export type StatePair = { readonly path: AbsolutePath; readonly before: FileState; readonly after: FileState };

/** Without changes where not all of them are at hand. */
export function tellOfChange({ emit, cwd }: LogParts, header: EntryHeader, changes?: readonly StatePair[]): void {
  if (emit === undefined) return;
  const size = changes?.reduce((sum, { before, after }) => sum + sizeOf(before) + sizeOf(after), 0) ?? Infinity;
  emit({
    type: 'files.changed',
    callId: header.callId,
    files: header.files.map(changedFile),
    ...(changes && size <= LONGEST_TOLD && { diff: diffIn(cwd, changes).text }),
  });
}

export function diffIn(cwd: AbsolutePath, changes: readonly StatePair[]): ReturnType<typeof stateDiff> {
  return stateDiff(changes.map(({ path: name, before, after }) => ({ name: shownName(cwd, name), before, after })));
}

/** What is elsewhere is named from the root, so that no name leads up. */
function shownName(cwd: AbsolutePath, name: AbsolutePath): string {
  const relative = isInside(cwd, name) ? path.relative(cwd, name) : path.relative('/', name);
  return relative.split(path.sep).join('/');
}

function sizeOf(state: FileState): number {
  return state.kind === 'file' ? state.content.length : 0;
}
