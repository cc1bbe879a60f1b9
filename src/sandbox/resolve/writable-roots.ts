/** The folders a policy calls writable, by their real paths. */
import path from 'node:path';

import { ConfigError, messageOf } from '../../core/errors.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';
import { checkText, exactRealPath, isWholeDisk, placeAt, statsOf } from './places.js';

export type Root = Place & { readonly shallow: boolean };

export type Roots = { readonly roots: readonly Root[]; readonly missing: readonly AbsolutePath[] };

/** A root that does not exist cannot be written to: it is only reported. Everything else that is wrong is refused. */
export function realRoots(given: readonly AbsolutePath[], shallow: readonly AbsolutePath[]): Roots {
  const roots = new Map<AbsolutePath, Root>();
  const missing: AbsolutePath[] = [];
  const quick = new Set(shallow.map((file) => path.resolve(file)));
  for (const file of given) {
    const place = realRoot(file);
    if (place === undefined) {
      missing.push(file);
      continue;
    }
    // Whoever asks for one folder twice gets the more careful look.
    const isShallow = quick.has(path.resolve(file)) && roots.get(place.path)?.shallow !== false;
    roots.set(place.path, { ...place, shallow: isShallow });
  }
  return { roots: [...roots.values()], missing };
}

function realRoot(file: AbsolutePath): Place | undefined {
  checkText(file);
  const place = lookAt(file);
  if (place === undefined) return undefined;
  if (isWholeDisk(place.path)) {
    throw new ConfigError(`the writable folder ${file} is the whole disk; name the folders that are meant`);
  }
  if (place.kind !== 'folder') throw new ConfigError(`the writable folder ${file} is not a folder; name a folder`);
  return place;
}

function lookAt(file: AbsolutePath): Place | undefined {
  try {
    if (statsOf(file) === undefined) return undefined;
    return placeAt(exactRealPath(file));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`the writable folder ${file} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
