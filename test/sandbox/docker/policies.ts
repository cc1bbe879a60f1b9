import { lstatSync } from 'node:fs';

import { absolutePath } from '../../../src/core/paths.js';
import { NOTHING_ALLOWED } from '../../../src/sandbox/policy.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';

/** A policy that allows nothing but what is said. */
export function policyOf(parts: Partial<ResolvedPolicy> = {}): ResolvedPolicy {
  return { ...NOTHING_ALLOWED, unixSockets: 'private', ...parts };
}

/** A place that need not exist. */
export function place(path: string, kind: Place['kind'] = 'folder'): Place {
  return { path: absolutePath(path), kind, device: 1, inode: 1 };
}

/** A place as it is on the disk. */
export function realPlace(path: string): Place {
  const stats = lstatSync(path);
  return {
    path: absolutePath(path),
    kind: stats.isDirectory() ? 'folder' : 'file',
    device: stats.dev,
    inode: stats.ino,
  };
}
