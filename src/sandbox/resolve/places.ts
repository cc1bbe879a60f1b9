/** Looking at what is on the disk without following a link at its end. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import type { PathLike, Stats } from 'node:fs';
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';

/** Undefined when there is nothing; below a file there cannot be. */
export function statsOf(file: PathLike): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Undefined when there is nothing, or a link. */
export function placeAt(file: AbsolutePath): Place | undefined {
  const stats = statsOf(file);
  if (stats === undefined || stats.isSymbolicLink()) return undefined;
  return { path: file, kind: stats.isDirectory() ? 'folder' : 'file', device: stats.dev, inode: stats.ino };
}

/** Where an existing path really is; throws when that cannot be written down in text. */
export function exactRealPath(file: string): AbsolutePath {
  const real = absolutePath(realpathSync.native(file));
  if (!isExactText(real) || (real.includes('\uFFFD') && !isSame(file, real))) {
    throw new ConfigError(`${file} leads to a path that is not valid UTF-8; rename what it leads to`);
  }
  return real;
}

/** A path that the system would cut short or change on the way in would be a rule about something else. */
export function checkText(file: string): void {
  if (file.includes('\0'))
    throw new ConfigError(`the path ${JSON.stringify(file)} contains a NUL character; remove it`);
  if (!isExactText(file)) throw new ConfigError(`the path ${JSON.stringify(file)} is not valid Unicode; correct it`);
}

/** Half a surrogate pair has no UTF-8 form. */
export function isExactText(text: string): boolean {
  return !/[\uD800-\uDFFF]/.test(text) || Buffer.from(text).toString() === text;
}

/** Each path once, and none that lies in another one; outermost first. */
export function outermost<T extends { readonly path: AbsolutePath }>(places: Iterable<T>): T[] {
  const kept: T[] = [];
  for (const place of byDepth(places)) {
    if (!kept.some((outer) => isInside(outer.path, place.path))) kept.push(place);
  }
  return kept;
}

/** What holds something has a shorter path than that. */
export function byDepth<T extends { readonly path: AbsolutePath }>(places: Iterable<T>): T[] {
  return [...places].toSorted((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
}

export function isStrictlyInside(folder: AbsolutePath, target: AbsolutePath): boolean {
  return folder !== target && isInside(folder, target);
}

export function isWholeDisk(file: string): boolean {
  return path.parse(file).root === file;
}

function isSame(file: string, real: string): boolean {
  const [one, other] = [statSync(file), statsOf(real)];
  return one.ino === other?.ino && one.dev === other.dev;
}
