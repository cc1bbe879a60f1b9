/** What is replaced keeps a name of ours until the whole set is made, so that the very same file can be put back. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { errorCode } from '../../core/file-problem.js';
import type { ChangeSet, Temporary } from './change-set.js';
import { nameOf } from './compare.js';
import type { Site } from './site.js';

/** No links of files on this system, or none of this file. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/** `seen` is what it was at the last look; `kept` the same, unless only a copy could be kept. */
export function keepOriginal(set: ChangeSet, site: Site, seen: Stats | undefined): Kept {
  const { before } = site.change;
  const original = set.temporary(site.spot.held);
  // Some systems would link what it leads to.
  if (before.kind === 'link') fs.symlinkSync(before.target, original.path);
  if (before.kind !== 'file' || seen === undefined) return { original };
  try {
    fs.linkSync(nameOf(site), original.path);
    return { original, kept: seen };
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error;
    copy(before.content, seen, original.path);
    return { original };
  }
}

type Kept = { readonly original: Temporary; readonly kept?: Stats };

function copy(content: Uint8Array, { uid, gid, mode, atime, mtime }: Stats, file: string): void {
  const descriptor = fs.openSync(file, 'wx', 0o600);
  try {
    fs.writeFileSync(descriptor, content);
    try {
      fs.fchownSync(descriptor, uid, gid);
    } catch {
      // Then it is ours.
    }
    fs.fchmodSync(descriptor, mode & 0o777);
    fs.futimesSync(descriptor, atime, mtime);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Gives a file of ours its name. Without links of files, somebody has a moment to come between. */
export function linkUnlessThere(file: string, target: string): void {
  try {
    fs.linkSync(file, target);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error;
    if (fs.lstatSync(target, { throwIfNoEntry: false })) throw Object.assign(new Error(target), { code: 'EEXIST' });
    fs.renameSync(file, target);
  }
}
