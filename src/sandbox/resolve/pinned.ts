/** Folders that must keep their names, or what is closed inside of them would be open under another one. */
import path from 'node:path';

import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';
import { byDepth, isStrictlyInside, placeAt } from './places.js';

/** Every folder strictly between a writable one and what is closed, unless it is read-only itself. */
export function pinnedFolders(
  writable: readonly Place[],
  protectedPlaces: readonly Place[],
  closed: readonly AbsolutePath[],
): readonly Place[] {
  const pinned = new Map<AbsolutePath, Place>();
  const isReadOnly = (file: AbsolutePath): boolean => protectedPlaces.some((place) => isInside(place.path, file));
  for (const file of closed) {
    const root = writable.find((each) => isStrictlyInside(each.path, file))?.path;
    if (root === undefined) continue;
    for (let folder = above(file); folder !== root && !pinned.has(folder); folder = above(folder)) {
      const place = isReadOnly(folder) ? undefined : placeAt(folder);
      if (place?.kind === 'folder') pinned.set(folder, place);
    }
  }
  return byDepth(pinned.values());
}

function above(file: AbsolutePath): AbsolutePath {
  return absolutePath(path.dirname(file));
}
