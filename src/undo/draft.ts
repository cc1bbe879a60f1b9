/**
 * What a set of changes will do, name by name: the names are those behind any links, folders that will have to be made
 * are among them, and whatever changes nothing is left out.
 */
import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';

import type { FileChange, FileState } from '../core/files.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { isSameContent, modeOf } from './entry.js';
import type { StoredFile, StoredState } from './entry.js';
import { realNames } from './real-names.js';
import { storedState } from './states.js';

export type DraftFiles = { readonly files: readonly StoredFile[]; readonly contents: readonly Uint8Array[] };

export function draftOf(changes: readonly FileChange[]): DraftFiles {
  const nameOf = realNames(changes);
  const before = new Map<string, FileState>();
  const files = new Map<string, StoredFile>();
  for (const change of changes) {
    const file = storedFile({ ...change, path: nameOf(change) });
    if (changesNothing(file)) continue;
    files.set(file.path, file);
    before.set(file.path, change.before);
  }
  for (const folder of [...files.values()].flatMap(foldersToMake)) {
    const known = files.get(folder);
    // Something else had the name of the folder, and is taken away by the same set.
    if (known === undefined || known.after?.kind === 'absent')
      files.set(folder, { path: folder, before: known?.before ?? { kind: 'absent' }, after: { kind: 'folder' } });
  }
  return keepContents([...files.values()], (file) => contentOf(before.get(file.path)));
}

/** Gives each content its place behind the line. */
export function keepContents(
  files: readonly StoredFile[],
  contentBefore: (file: StoredFile) => Uint8Array | undefined,
): DraftFiles {
  const contents: Uint8Array[] = [];
  let offset = 0;
  const placed = files.map((file) => {
    const content = contentBefore(file);
    if (file.before.kind !== 'file' || content === undefined) return file;
    const before = { ...file.before, offset };
    contents.push(content);
    offset += content.length;
    return { ...file, before };
  });
  return { files: placed, contents };
}

/** With the modes that nobody mentioned, so that what is taken away can come back with its own. */
function storedFile({ path: name, before, after }: FileChange): StoredFile {
  const [old, fresh] = [withMode(storedState(before), name), storedState(after)];
  const mode = old.kind === fresh.kind ? (modeOf(fresh) ?? modeOf(old)) : undefined;
  const isPlain = mode === undefined || (fresh.kind !== 'file' && fresh.kind !== 'folder');
  return { path: name, before: old, after: isPlain ? fresh : { ...fresh, mode } };
}

function changesNothing({ before, after = before }: StoredFile): boolean {
  return isSameContent(before, after) && modeOf(before) === modeOf(after);
}

function withMode(state: StoredState, name: string): StoredState {
  if ((state.kind !== 'file' && state.kind !== 'folder') || state.mode !== undefined) return state;
  const stats = lstatOf(name);
  return stats === undefined ? state : { ...state, mode: stats.mode & 0o7777 };
}

function foldersToMake({ path: name, after }: StoredFile): readonly AbsolutePath[] {
  const missing: AbsolutePath[] = [];
  if (after?.kind === 'absent') return missing;
  for (let folder = path.dirname(name); !isFolder(folder); folder = path.dirname(folder)) {
    missing.push(absolutePath(folder));
  }
  return missing;
}

function isFolder(name: string): boolean {
  return path.dirname(name) === name || lstatOf(name)?.isDirectory() === true;
}

function lstatOf(name: string): Stats | undefined {
  try {
    return lstatSync(name, { throwIfNoEntry: false });
  } catch {
    // Below a file there is nothing.
    return undefined;
  }
}

function contentOf(state: FileState | undefined): Uint8Array | undefined {
  return state?.kind === 'file' ? state.content : undefined;
}
