/**
 * Absolute, normalised paths. Everything that judges or touches a file takes an `AbsolutePath`, so a relative or
 * half-resolved path cannot reach a guard by accident.
 */
import path from 'node:path';

import { ToolFailure } from './errors.js';
import type { Brand } from './ids.js';

export type AbsolutePath = Brand<string, 'AbsolutePath'>;

/** Resolves what a model or user wrote against `base`, without touching the disk. */
export function resolvePath(base: AbsolutePath, given: string): AbsolutePath {
  if (given === '') throw new ToolFailure('the path is empty; give a path relative to the workspace or absolute');
  if (given.includes('\0')) throw new ToolFailure('the path contains a NUL character');
  return path.resolve(base, given) as AbsolutePath;
}

/** Brands a path that is already known to be absolute, such as `process.cwd()`. */
export function absolutePath(text: string): AbsolutePath {
  if (!path.isAbsolute(text)) throw new TypeError(`not an absolute path: ${text}`);
  return path.normalize(text) as AbsolutePath;
}

/** Whether `target` is `folder` itself or lies below it, compared lexically. */
export function isInside(folder: AbsolutePath, target: AbsolutePath): boolean {
  const relative = path.relative(folder, target);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}
