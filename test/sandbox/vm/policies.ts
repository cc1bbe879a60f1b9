/** Resolved policies for tests of the virtual machine. */
import { statSync } from 'node:fs';

import { absolutePath } from '../../../src/core/paths.js';
import { NOTHING_ALLOWED } from '../../../src/sandbox/policy.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';

export function resolvedPolicy(parts: Partial<ResolvedPolicy> = {}): ResolvedPolicy {
  return { ...NOTHING_ALLOWED, unixSockets: 'private', ...parts };
}

/** A place that need not exist, for what only looks at its name. */
export function namedPlace(path: string, kind: Place['kind'] = 'folder'): Place {
  return { path: absolutePath(path), kind, device: 7, inode: path.length };
}

export function realPlace(path: string): Place {
  const found = statSync(path);
  return {
    path: absolutePath(path),
    kind: found.isDirectory() ? 'folder' : 'file',
    device: found.dev,
    inode: found.ino,
  };
}
