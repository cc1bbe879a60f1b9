/** A folder that a change made goes away with it, unless somebody else has put something into it since. */
import path from 'node:path';

import type { FileChange, Files } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';

export type Removable = {
  readonly changes: readonly FileChange[];
  /** Folders that are in the way of something else. */
  readonly stuck: readonly AbsolutePath[];
};

export async function keepFullFolders(files: Files, changes: readonly FileChange[]): Promise<Removable> {
  const gone = new Set(changes.filter(({ after }) => after.kind === 'absent').map((change) => change.path));
  const kept = new Set<string>();
  const stuck: AbsolutePath[] = [];
  const folders = changes.filter(({ before, after }) => before.kind === 'folder' && after.kind !== 'folder');
  // What is deeper comes first: a folder that stays keeps the one above it.
  for (const change of folders.toSorted((one, other) => other.path.length - one.path.length)) {
    if (await isEmptied(files, change.path, gone)) continue;
    gone.delete(change.path);
    kept.add(change.path);
    if (change.after.kind !== 'absent') stuck.push(change.path);
  }
  return { changes: changes.filter((change) => !kept.has(change.path)), stuck };
}

async function isEmptied(files: Files, folder: AbsolutePath, gone: ReadonlySet<string>): Promise<boolean> {
  for await (const entries of files.list(folder)) {
    if (entries.some(({ name }) => !gone.has(path.join(folder, name)))) return false;
  }
  return true;
}
