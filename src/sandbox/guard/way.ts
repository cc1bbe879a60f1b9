/** The folders between a writable root and something in it: nothing may be done behind a link that was put there. */
import path from 'node:path';

import { Fatal } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';
import { statsOf } from '../resolve/places.js';

/**
 * What has to be moved so that the name is free again: the thing itself, or a link on the way that makes it seem to be
 * there. Undefined when the name is free.
 */
export function whatAppeared(root: AbsolutePath, file: AbsolutePath): AbsolutePath | undefined {
  if (!isThere(file)) return undefined;
  let here: string = root;
  for (const name of path.relative(root, file).split(path.sep)) {
    here = path.join(here, name);
    if (statsOf(here)?.isSymbolicLink()) return absolutePath(here);
  }
  return file;
}

/** Whether each folder from the root to what it holds is a real one. */
export function isRealWay(root: AbsolutePath, file: AbsolutePath): boolean {
  const names = path.relative(root, file).split(path.sep);
  return names.every((_, index) => {
    const folder = path.join(root, ...names.slice(0, index));
    return statsOf(folder)?.isDirectory() === true;
  });
}

function isThere(file: string): boolean {
  try {
    return statsOf(file) !== undefined;
  } catch {
    // What cannot be looked at has appeared all the same.
    return true;
  }
}

/** The writable folder that holds something protected. */
export function rootOf(writable: readonly Place[], file: AbsolutePath): AbsolutePath {
  const root = writable.find(({ path: folder }) => isInside(folder, file));
  if (root === undefined) throw new Fatal(`${file} is protected although no writable folder holds it`);
  return root.path;
}
