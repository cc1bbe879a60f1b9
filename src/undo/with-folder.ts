/**
 * A folder that is what its name says, held while it is looked into: where a link has been put in its place, or in that of a
 * folder above it, nothing is looked at, because what is there is somebody else's.
 */
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';

import { errorCode } from '../core/file-problem.js';

/** False when it cannot be looked into. One that is gone has nothing in it. */
export function withFolder(folder: string, use: (at: string) => void): boolean {
  try {
    holding(folder, use);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

function holding(folder: string, use: (at: string) => void): void {
  // Elsewhere there is no way to look through what was opened.
  if (process.platform !== 'linux') return use(folder);
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const at = `/proc/self/fd/${descriptor}`;
    if (readlinkSync(at) !== folder) throw new Error(`${folder} is somewhere else`);
    use(at);
  } finally {
    closeSync(descriptor);
  }
}
