/** What has a name on the disk, and whether that is what an entry says. */
import { createHash } from 'node:crypto';

import { ToolFailure } from '../core/errors.js';
import type { Files, FileState } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { readState } from '../core/read-state.js';
import { isSameContent, isSameMode } from './entry.js';
import type { StoredFile, StoredState } from './entry.js';

/** As it was found; no state where it is a device, pipe or socket, or cannot be read. */
export type Found = { readonly state?: FileState; readonly stored?: StoredState };

export async function findState(files: Files, path: AbsolutePath): Promise<Found> {
  try {
    const entry = await files.look(path);
    const state = await readState(files, path);
    return { state, stored: storedState(state, entry?.modified) };
  } catch (error) {
    if (error instanceof ToolFailure) return {};
    throw error;
  }
}

export function storedState(state: FileState, modified?: number): StoredState {
  if (state.kind !== 'file') return state;
  const { content, mode } = state;
  return {
    kind: 'file',
    size: content.length,
    sha256: sha256(content),
    ...(mode !== undefined && { mode }),
    ...(modified !== undefined && { modified: Math.floor(modified) }),
  };
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Whether it is what a change made of it. A mode that the change left alone is not its business. */
export function isAsLeft({ before, after }: StoredFile, { stored }: Found): boolean {
  if (after === undefined || stored === undefined || !isSameContent(after, stored)) return false;
  return after.kind !== before.kind || isSameMode(before, after) || isSameMode(after, stored);
}

/** Whether it is what it was before the change. */
export function isAsBefore({ before, after = before }: StoredFile, { stored }: Found): boolean {
  if (stored === undefined || !isSameContent(before, stored)) return false;
  return after.kind !== before.kind || isSameMode(before, after) || isSameMode(before, stored);
}

/** The state to go back to; undefined where its content was not kept. */
export function restored(state: StoredState, content: Uint8Array | undefined): FileState | undefined {
  if (state.kind !== 'file') return state;
  if (content === undefined) return undefined;
  return { kind: 'file', content, ...(state.mode !== undefined && { mode: state.mode }) };
}
