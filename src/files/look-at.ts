/** What has a name, without following it. The folder it is in is held, so that what is asked and what is told are one. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { errorCode } from '../core/file-problem.js';
import type { Entry, EntryKind } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { identityOf, openAnchor, placeIn } from './anchor.js';
import type { Anchor } from './anchor.js';
import { denied } from './guard.js';
import type { Access } from './guard.js';
import { mustBeReadable } from './open-file.js';
import { splitName } from './split-name.js';

const { O_DIRECTORY } = fs.constants;

export async function lookAt(access: Access, path: AbsolutePath): Promise<Entry | undefined> {
  return unlessMissing(access.guard === undefined ? entryAt(path) : guardedEntry(access, path));
}

async function guardedEntry(access: Access, path: AbsolutePath): Promise<Entry | undefined> {
  const { folder, name } = splitName(path);
  const anchor = await openAnchor(access.anchoring, name === undefined ? path : folder, O_DIRECTORY);
  try {
    return await (name === undefined ? folderItself(access, anchor, path) : entryIn(access, anchor, { name, path }));
  } finally {
    await anchor.close();
  }
}

async function folderItself({ guard }: Access, anchor: Anchor, path: AbsolutePath): Promise<Entry> {
  if (guard !== undefined) await mustBeReadable(guard, anchor, path);
  return asEntry(anchor.stats);
}

type Asked = { readonly name: string; readonly path: AbsolutePath };

/** What is missing in a place that is hidden is refused like what is there. */
async function entryIn({ guard }: Access, anchor: Anchor, { name, path }: Asked): Promise<Entry | undefined> {
  const found = await anchor.whereabouts();
  const at = `${anchor.path}/${name}`;
  const stats = fs.lstatSync(at, { throwIfNoEntry: false });
  const place = placeIn(found, name, stats && identityOf(stats));
  if (guard?.mayRead(place) === false) throw denied(guard, 'read', place.path, path);
  return stats && withTarget(stats, at);
}

async function entryAt(path: string): Promise<Entry> {
  return withTarget(await fs.promises.lstat(path), path);
}

async function withTarget(stats: Stats, path: string): Promise<Entry> {
  return stats.isSymbolicLink() ? { ...asEntry(stats), target: await fs.promises.readlink(path) } : asEntry(stats);
}

function asEntry(stats: Stats): Entry {
  return { kind: kindOf(stats), size: stats.size, mode: stats.mode & 0o7777, modified: stats.mtimeMs };
}

/** The same questions can be put to what a listing tells. */
export function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
    throw error;
  });
}
