/** Says what was changed to whoever listens, as a diff where that is short. */
import path from 'node:path';

import type { FileState } from '../core/files.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { stateDiff } from '../diff/state-diff.js';
import { changedFile } from './entry.js';
import type { EntryHeader } from './entry.js';
import type { LogParts } from './parts.js';

const MOST_BYTES = 256 * 1024;

export type StatePair = { readonly path: AbsolutePath; readonly before: FileState; readonly after: FileState };

export function tellOfChange({ emit, cwd }: LogParts, header: EntryHeader, changes: readonly StatePair[]): void {
  if (emit === undefined || header.files.length === 0) return;
  const isShort = changes.reduce((sum, { before, after }) => sum + sizeOf(before) + sizeOf(after), 0) <= MOST_BYTES;
  emit({
    type: 'files.changed',
    callId: header.callId,
    files: header.files.map(changedFile),
    ...(isShort && { diff: diffIn(cwd, changes).text }),
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
