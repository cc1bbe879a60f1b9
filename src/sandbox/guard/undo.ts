/** Goes through everything that was kept and puts it back. One failure does not keep the rest from being put back. */
import type { Stats } from 'node:fs';
import path from 'node:path';

import { messageOf } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { ResolvedPolicy } from '../policy.js';
import { statsOf } from '../resolve/places.js';
import { movedFolders } from './moved-folders.js';
import type { MovedFolders } from './moved-folders.js';
import { moveTo, putAway } from './quarantine.js';
import type { FileName } from './quarantine.js';
import { restore } from './restore.js';
import type { Restorer, Reverted } from './restore.js';
import type { Entry } from './snapshot.js';
import { identityOf, isSameThing } from './stamp.js';
import { isRealWay, rootOf, whatAppeared } from './way.js';

/** A place and what belongs to it, as it was before. */
export type Kept = {
  readonly path: AbsolutePath;
  /** Only its name and its rights are kept: what it holds is the command's. */
  readonly pinned: boolean;
  readonly stats: Stats;
  readonly entries: readonly Entry[];
};

type Failure = { readonly path: AbsolutePath; readonly why: string };

type Undone = { readonly reverted: readonly Reverted[]; readonly failures: readonly Failure[] };

export function undoChanges(resolved: ResolvedPolicy, kept: readonly Kept[]): Undone {
  const reverted: Reverted[] = [];
  const failures: Failure[] = [];
  const attempt = (file: AbsolutePath, work: () => readonly Reverted[]): readonly Reverted[] => {
    try {
      const done = work();
      reverted.push(...done);
      return done;
    } catch (error) {
      failures.push({ path: file, why: messageOf(error) });
      return [];
    }
  };
  const moved = movedFolders(resolved.writable);
  for (const each of kept) {
    const restorer = restorerFor(each.path, resolved, moved);
    const back = attempt(each.path, () => bringBack(each, restorer, moved));
    putBackEntries(each.entries, { restorer, attempt, reported: back.length > 0 });
  }
  for (const link of resolved.links) {
    attempt(link.path, () => restore({ ...link, kind: 'link' }, restorerFor(link.path, resolved, moved)));
  }
  for (const file of resolved.absent) {
    attempt(file, () => clear(file, restorerFor(file, resolved, moved), rootOf(resolved.writable, file)));
  }
  return { reverted, failures };
}

/** Things go beside the place they were found in, if that is still the user's ground. */
function restorerFor(place: AbsolutePath, { writable }: ResolvedPolicy, moved: MovedFolders): Restorer {
  const root = rootOf(writable, place);
  const beside = path.dirname(place);
  return {
    checkWay: (file) => {
      if (!isRealWay(root, file)) throw new Error('a folder on the way to it is none any more');
    },
    putAway: (thing: FileName) => {
      moved.forget();
      const within = path.dirname(thing.toString());
      return putAway(thing, isInside(root, absolutePath(beside)) ? [beside, within] : [within]);
    },
  };
}

/** A folder that was given another name gets its own back. What cannot be found is made anew from what was kept. */
function bringBack(kept: Kept, restorer: Restorer, moved: MovedFolders): readonly Reverted[] {
  const { path: file, pinned, stats } = kept;
  const there = statsOf(file);
  if (!stats.isDirectory() || (there !== undefined && isSameThing(stats, there))) return [];
  const found = moved.find(identityOf(stats));
  // A new folder of that name serves as a way to what is protected in it, but not as what is protected.
  if (found === undefined && pinned) return [];
  restorer.checkWay(file);
  const quarantined = there === undefined ? undefined : restorer.putAway(file);
  if (found !== undefined) {
    moveTo(quarantined === undefined ? found : whereNow(found, file, quarantined), file, true);
    moved.forget();
  }
  if (quarantined === undefined) return [{ path: file, what: 'removed' }];
  return [{ path: file, what: 'replaced', quarantined }];
}

/** It may have been inside of what was just put away. */
function whereNow(found: AbsolutePath, file: AbsolutePath, quarantined: AbsolutePath): AbsolutePath {
  return isInside(file, found) ? absolutePath(path.join(quarantined, path.relative(file, found))) : found;
}

type PuttingBack = {
  readonly restorer: Restorer;
  readonly attempt: (file: AbsolutePath, work: () => readonly Reverted[]) => unknown;
  /** Whether the place itself was told of already. */
  readonly reported: boolean;
};

/** What is made again together with its folder is not told of one by one. */
function putBackEntries(entries: readonly Entry[], { restorer, attempt, reported }: PuttingBack): void {
  const made = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    attempt(entry.path, () => {
      const done = restore(entry, restorer);
      if (done.some(({ what }) => what === 'removed' || what === 'replaced')) made.add(entry.path);
      const isQuiet = made.has(path.dirname(entry.path)) || (reported && index === 0);
      return isQuiet ? done.filter(({ quarantined }) => quarantined !== undefined) : done;
    });
  }
}

/** What appeared under a name that was free. */
function clear(file: AbsolutePath, restorer: Restorer, root: AbsolutePath): readonly Reverted[] {
  const appeared = whatAppeared(root, file);
  return appeared === undefined ? [] : [{ path: file, what: 'created', quarantined: restorer.putAway(appeared) }];
}
