/** One file has one name in the log, however it was reached: links on the way to it are resolved. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { FileChange } from '../core/files.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';

/** For the changes of one set. Where both sides are files, the change is to what a link leads to. */
export function realNames(changes: readonly FileChange[]): (change: FileChange) => AbsolutePath {
  // A link that the set takes away leads nowhere for the others.
  const folders = nameFolders(
    new Set(changes.filter(({ before }) => before.kind === 'link').map(({ path: name }) => name)),
  );
  return ({ path: name, before, after }) => {
    const target = before.kind === 'file' && after.kind === 'file' ? real(name) : undefined;
    return target === undefined ? folders(name) : absolutePath(target);
  };
}

/** The same changes by those names: a link that is swapped in later cannot part what is on record from what is changed. */
export function atRealNames(changes: readonly FileChange[]): readonly FileChange[] {
  const nameOf = realNames(changes);
  const known = new Map<string, AbsolutePath>();
  return changes.map((change) => {
    const name = nameOf(change);
    const other = known.get(name);
    if (other !== undefined) throw new FileProblem('broken', change.path, `it is the same file as ${other}`);
    known.set(name, change.path);
    return { ...change, path: name };
  });
}

/** The name itself stays, also where it is a link. */
export function nameFolders(unfollowed: ReadonlySet<string> = new Set()): (name: string) => AbsolutePath {
  const known = new Map<string, string>();
  const inRealFolder = (name: string): string => path.join(realFolder(path.dirname(name)), path.basename(name));
  const realFolder = (folder: string): string => {
    const found = known.get(folder) ?? (unfollowed.has(folder) ? undefined : real(folder)) ?? inRealFolder(folder);
    known.set(folder, found);
    return found;
  };
  return (name) => absolutePath(inRealFolder(name));
}

function real(name: string): string | undefined {
  try {
    return realpathSync.native(name);
  } catch {
    return path.dirname(name) === name ? name : undefined;
  }
}
