/**
 * New content under names of ours, beside those it is for: it is on the disk before it gets them. Everything is written
 * before the disk is waited for, because then it has to be waited for once, not once for each file.
 */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { sideBySide } from '../../core/side-by-side.js';
import { syncDescriptor } from '../sync-descriptor.js';
import { succeeds } from './change-set.js';
import type { ChangeSet } from './change-set.js';
import type { Placement } from './put-in-place.js';
import { blaming } from './site.js';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

/** As many files as are open at once. */
const BATCH = 256;

export async function stageContents(set: ChangeSet, places: readonly Placement[]): Promise<readonly Placement[]> {
  const staged: Placement[] = [];
  for (let start = 0; start < places.length; start += BATCH) {
    staged.push(...(await stageBatch(set, places.slice(start, start + BATCH))));
  }
  return staged;
}

type Written = Placement & { readonly descriptor?: number };

async function stageBatch(set: ChangeSet, places: readonly Placement[]): Promise<readonly Placement[]> {
  const open: number[] = [];
  try {
    const written = await sideBySide(places, (place) => blaming(place.site.change.path, () => write(set, place, open)));
    await sideBySide(written, async ({ site, descriptor }) => {
      if (descriptor !== undefined) await blaming(site.change.path, () => syncDescriptor(descriptor));
    });
    return written;
  } finally {
    for (const descriptor of open) fs.closeSync(descriptor);
  }
}

/** Into memory, which takes less time than the way to another thread. */
function write(set: ChangeSet, { site, folder }: Placement, open: number[]): Written {
  const { after } = site.change;
  if (after.kind !== 'file') return { site, folder };
  const replaced = site.existing?.isFile() === true ? site.existing : undefined;
  const mode = after.mode ?? replaced?.mode;
  const staged = set.temporary(folder);
  // For nobody else until it has its mode.
  const flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY;
  const descriptor = fs.openSync(staged.path, flags, mode === undefined ? 0o666 : 0o600);
  open.push(descriptor);
  for (let done = 0; done < after.content.length;) done += fs.writeSync(descriptor, after.content, done);
  const sameGroup = replaced === undefined || keepOwner(descriptor, replaced);
  if (mode !== undefined) setMode(descriptor, mode & (sameGroup ? 0o777 : 0o707));
  return { site, folder, staged, descriptor };
}

/**
 * Before the mode, because a change of owner may change that. Tells whether at least the group could be kept: rights of a
 * group that cannot be kept are not handed to another group.
 */
function keepOwner(descriptor: number, { uid, gid }: Stats): boolean {
  return succeeds(() => fs.fchownSync(descriptor, uid, gid)) || succeeds(() => fs.fchownSync(descriptor, -1, gid));
}

/** A system without modes keeps none. */
function setMode(descriptor: number, mode: number): void {
  succeeds(() => fs.fchmodSync(descriptor, mode));
}
