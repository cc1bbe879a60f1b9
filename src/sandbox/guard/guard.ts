/**
 * Compares what is protected before and after a command, and undoes what must not be: names that cannot be mounted over,
 * and, where the system offers nothing better, the contents of everything that is protected. To be compared when nothing
 * of the command runs any more. What a command has put somewhere is never deleted.
 */
import { lstatSync, readlinkSync } from 'node:fs';

import { Fatal, Rejected } from '../../core/errors.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ProtectedLink, ResolvedPolicy } from '../policy.js';
import { byDepth, statsOf } from '../resolve/places.js';
import { isSamePlace } from '../resolve/same-place.js';
import type { Reverted } from './restore.js';
import { folderEntry, takeSnapshot } from './snapshot.js';
import type { SnapshotBounds } from './snapshot.js';
import { undoChanges } from './undo.js';
import type { Kept } from './undo.js';
import { rootOf, whatAppeared } from './way.js';

export type GuardOptions = Partial<SnapshotBounds> & {
  /** Whether the backend cannot keep protected places from being changed. */
  readonly contents?: boolean;
};

export interface Guard {
  /** Throws `Rejected` when something is not as it was resolved, or too large to be kept: the command must not run. */
  note(): Note;
  /** What was undone. Throws `Fatal` when something could not be. */
  compare(before: Note): readonly Reverted[];
}

/** Each place with what belongs to it, outermost first. */
export type Note = { readonly kept: readonly Kept[] };

const MAX_FILES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

export function createGuard(resolved: ResolvedPolicy, options: GuardOptions = {}): Guard {
  const { contents = false, maxFiles = MAX_FILES, maxBytes = MAX_BYTES, now = Date.now } = options;
  return {
    note: () => {
      checkNames(resolved);
      return { kept: contents ? keep(resolved, { maxFiles, maxBytes, now }) : [] };
    },
    compare: ({ kept }) => {
      const { reverted, failures } = undoChanges(resolved, kept);
      if (failures.length > 0) {
        const said = `protected files were changed and could not be put back; check them before you use them: `;
        throw new Fatal(said + failures.map(({ path, why }) => `${path} (${why})`).join(', '));
      }
      return reverted;
    },
  };
}

function checkNames({ writable, links, absent }: ResolvedPolicy): void {
  for (const file of absent) if (whatAppeared(rootOf(writable, file), file) !== undefined) throw notAsBefore(file);
  for (const link of links) if (!isSameLink(link)) throw notAsBefore(link.path);
}

function isSameLink({ path, target }: ProtectedLink): boolean {
  return statsOf(path)?.isSymbolicLink() === true && readlinkSync(path) === target;
}

function keep({ pinned, protected: closed, granted }: ResolvedPolicy, bounds: SnapshotBounds): readonly Kept[] {
  const keepPlace = (place: Place, isPinned: boolean): Kept => {
    if (!isSamePlace(place)) throw notAsBefore(place.path);
    const stats = lstatSync(place.path);
    const entries = isPinned ? [folderEntry(place.path, stats, bounds.now())] : takeSnapshot(place, granted, bounds);
    return { path: place.path, pinned: isPinned, stats, entries };
  };
  return byDepth([...pinned.map((place) => keepPlace(place, true)), ...closed.map((place) => keepPlace(place, false))]);
}

function notAsBefore(file: AbsolutePath): Rejected {
  return new Rejected('policy', `${file} is protected and has changed just now; run the command again.`);
}
