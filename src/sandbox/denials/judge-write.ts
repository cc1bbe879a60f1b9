/** Whether a write was stopped by the sandbox: the policy forbids it, and we, unconfined, could have done it. */
import path from 'node:path';

import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';

export interface JudgedWorld {
  readonly resolved: ResolvedPolicy;
  /** Whether there is anything at this path, a link to nothing included. */
  exists(file: AbsolutePath): boolean;
  /** Whether we, unconfined, may change what is there. Asked only about what exists. */
  canWrite(file: AbsolutePath): boolean;
  /** Whether nobody is to be asked for all of it, such as a whole home, because of one name in it. */
  isTooWide(file: AbsolutePath): boolean;
  /** Where a path really leads, also when its last parts do not exist. */
  realPath(file: string): AbsolutePath;
}

type Judgement =
  /** `target` is what would have to be granted: the file, or the folder in which it was to be made or removed. */
  | { readonly kind: 'stopped'; readonly target: AbsolutePath }
  /** The sandbox stops nothing there. */
  | { readonly kind: 'writable' }
  /** It would not have been possible without the sandbox either, or is not for anybody to ask for. */
  | { readonly kind: 'ordinary' }
  /** Only a right to everything there is would help. Nobody is to be asked for that because of a name at its top. */
  | { readonly kind: 'everything' };

/** `file` by its real path. To remove it is to change the folder that holds it. */
export function judgeWrite(file: AbsolutePath, removed: boolean, world: JudgedWorld): Judgement {
  if (isWritable(world.resolved, file)) return { kind: 'writable' };
  if (holds(world.resolved.hidden, file)) return { kind: 'ordinary' };
  const target = targetOf(file, removed, world);
  if (!world.canWrite(target)) return { kind: 'ordinary' };
  return folderOf(target) === target || world.isTooWide(target) ? { kind: 'everything' } : { kind: 'stopped', target };
}

export function folderOf(file: AbsolutePath): AbsolutePath {
  return path.dirname(file) as AbsolutePath;
}

function isWritable({ granted, protected: kept, writable }: ResolvedPolicy, file: AbsolutePath): boolean {
  return holds(granted, file) || (holds(writable, file) && !holds(kept, file));
}

function holds(places: readonly Place[], file: AbsolutePath): boolean {
  return places.some((place) => isInside(place.path, file));
}

/** What there is of it: the file, or else the nearest folder. */
function targetOf(file: AbsolutePath, removed: boolean, world: JudgedWorld): AbsolutePath {
  const folder = folderOf(file);
  let target = removed && !isWritable(world.resolved, folder) ? folder : file;
  while (!world.exists(target) && folderOf(target) !== target) target = folderOf(target);
  return target;
}
