/** Finds folders again that were given another name. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';
import { statsOf } from '../resolve/places.js';
import { identityOf } from './stamp.js';

const MAX_FOLDERS = 20_000;

export interface MovedFolders {
  /** By what `identityOf` said of it. */
  find(identity: string): AbsolutePath | undefined;
  /** To be called whenever a folder got another name. */
  forget(): void;
}

/** All roots are searched at once, and only when something is missed. */
export function movedFolders(roots: readonly Place[]): MovedFolders {
  let known: Map<string, AbsolutePath> | undefined;
  return {
    find: (identity) => {
      known ??= foldersIn(roots);
      return known.get(identity);
    },
    forget: () => {
      known = undefined;
    },
  };
}

function foldersIn(roots: readonly Place[]): Map<string, AbsolutePath> {
  const known = new Map<string, AbsolutePath>();
  for (const root of roots) {
    const folders = [root.path];
    for (let index = 0; index < folders.length && folders.length < MAX_FOLDERS; index += 1) {
      for (const [identity, folder] of foldersBelow(folders[index] ?? root.path)) {
        known.set(identity, folder);
        folders.push(folder);
      }
    }
  }
  return known;
}

function foldersBelow(folder: AbsolutePath): readonly (readonly [identity: string, folder: AbsolutePath])[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.flatMap(({ name }) => {
      const below = absolutePath(path.join(folder, name));
      const stats = statsOf(below);
      return stats?.isDirectory() ? [[identityOf(stats), below] as const] : [];
    });
  } catch {
    return [];
  }
}
