/** What cannot be read, by where it really is. */
import { lstatSync } from 'node:fs';
import path from 'node:path';

import { ConfigError, messageOf } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';
import { followLinks } from './follow-links.js';
import { checkText, exactRealPath, isWholeDisk, outermost, placeAt, statsOf } from './places.js';

/** Only what exists. A link is no place to put anything over: what it leads to is hidden, from whichever side one comes. */
export function hiddenPlaces(files: readonly AbsolutePath[]): readonly Place[] {
  return files.flatMap((file) => hiddenPlace(file) ?? []);
}

/** What lies in something hidden is hidden with it, unless that part is shown: then it has to be hidden once more. */
export function onlyNeeded(hidden: readonly Place[], shown: readonly Place[]): readonly Place[] {
  const isShown = (place: Place): boolean => shown.some(({ path: part }) => isInside(part, place.path));
  return [...outermost(hidden.filter((place) => !isShown(place))), ...outermost(hidden.filter(isShown))];
}

/** Refuses what would take the ground away from under a writable folder. */
export function checkHidden(hidden: readonly Place[], writable: readonly Place[]): void {
  for (const { path: file } of hidden) {
    const root = writable.find((each) => isInside(file, each.path));
    if (root !== undefined) {
      throw new ConfigError(
        `the writable folder ${root.path} lies in the hidden ${file}; show that, or work elsewhere`,
      );
    }
  }
}

function hiddenPlace(file: AbsolutePath): Place | undefined {
  checkText(file);
  const real = realOf(file);
  if (real === undefined) return undefined;
  if (isWholeDisk(real)) throw new ConfigError(`hiding ${file} would hide the whole disk; name what is meant`);
  return placeAt(real);
}

function realOf(file: AbsolutePath): AbsolutePath | undefined {
  try {
    return statsOf(file) === undefined ? undefined : exactRealPath(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return closedFolder(followLinks(file).real);
    if (code === 'ENOENT' || code === 'ELOOP') return undefined;
    throw new ConfigError(`${file} cannot be hidden: ${messageOf(error)}`, { cause: error });
  }
}

/** The folder above it that cannot be entered: hiding all of that takes nothing away from anybody. */
function closedFolder(file: AbsolutePath): AbsolutePath {
  const folder = absolutePath(path.dirname(file));
  try {
    lstatSync(folder);
    return folder;
  } catch {
    return closedFolder(folder);
  }
}
