/** Forgets what is so old, or so much, that nobody will want it back. */
import type { Stats } from 'node:fs';
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { sideBySide } from '../core/side-by-side.js';
import { byAge, isMark, listedEntry } from './entry-names.js';

export type KeepLimits = { readonly ms: number; readonly entries: number; readonly bytes: number };

const LIMITS: KeepLimits = { ms: 30 * 24 * 60 * 60_000, entries: 1000, bytes: 512 * 1024 * 1024 };
const MOST_MARKS = 50;
/** What is still being written is younger. */
const TEMPORARY: KeepLimits = { ms: 60 * 60_000, entries: Infinity, bytes: Infinity };

/** All logs: in some of the workspaces nobody will ever work again. */
export async function pruneAll(folder: string, now: number, limits: KeepLimits = LIMITS): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // A log that cannot be pruned is no reason to keep all of the others.
    if (entry.isDirectory()) await prune(path.join(folder, entry.name), now, limits).catch(() => undefined);
  }
}

/** A log. What was not finished stays, for whoever works there next. */
async function prune(folder: string, now: number, limits: KeepLimits): Promise<void> {
  const names = await readdir(folder);
  const inFolder = (isMeant: (name: string) => boolean): readonly string[] =>
    names.filter(isMeant).map((name) => path.join(folder, name));
  const entries = names.flatMap((name) => listedEntry(folder, name)).filter(({ stage }) => stage !== 'pending');
  const newest = entries.toSorted(byAge).toReversed();
  const marks = (await dated(inFolder(isMark))).toSorted((one, other) => other.stats.mtimeMs - one.stats.mtimeMs);
  const forgotten = [
    ...surplus(await dated(newest.map(({ file }) => file)), now, limits),
    ...surplus(marks, now, { ...limits, entries: MOST_MARKS }),
    ...surplus(await dated(inFolder((name) => name.endsWith('.tmp'))), now, TEMPORARY),
  ];
  await sideBySide(forgotten, (file) => rm(file, { force: true }));
  // Fails as long as there is something in it.
  await rmdir(folder).catch(() => undefined);
}

type Dated = { readonly file: string; readonly stats: Stats };

async function dated(files: readonly string[]): Promise<readonly Dated[]> {
  const found = await sideBySide(files, async (file) => ({ file, stats: await stat(file).catch(() => undefined) }));
  return found.flatMap(({ file, stats }) => (stats ? [{ file, stats }] : []));
}

function surplus(newestFirst: readonly Dated[], now: number, limits: KeepLimits): readonly string[] {
  let [count, bytes] = [0, 0];
  const isKept = ({ stats }: Dated): boolean => {
    count++;
    bytes += stats.size;
    return count <= limits.entries && bytes <= limits.bytes && now - stats.mtimeMs <= limits.ms;
  };
  return newestFirst.filter((each) => !isKept(each)).map(({ file }) => file);
}
