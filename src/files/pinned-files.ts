/**
 * The files of this machine for whoever comes back to places that others could change since: a path is taken by its
 * letters, and where a folder on the way has become a link, nothing is read or written.
 */
import path from 'node:path';

import type { Files } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { ANCHORING_HERE, placeIn } from './anchor.js';
import type { Guard } from './guard.js';
import { machineFiles } from './machine-files.js';

export const pinnedFiles: Files = machineFiles({ anchoring: ANCHORING_HERE, guard: async (paths) => pinnedTo(paths) });

function pinnedTo(paths: readonly AbsolutePath[]): Guard {
  const meant: ReadonlySet<string> = new Set(paths);
  // Folders on the way may have to be made.
  const onTheWay: ReadonlySet<string> = new Set(paths.flatMap(withParents));
  return {
    hides: () => false,
    mayRead: (found) => meant.has(found.path),
    mayWrite: (folder, name) => onTheWay.has(placeIn(folder, name).path),
    mayFollow: () => false,
    stopped: () => {},
  };
}

function withParents(file: string): readonly string[] {
  const parent = path.dirname(file);
  return parent === file ? [file] : [file, ...withParents(parent)];
}
