/** Folders that stay and get another mode. */
import fs from 'node:fs';

import { Moved, identityOf, isSame } from '../anchor.js';
import type { ChangeSet } from './change-set.js';
import { nameOf } from './compare.js';
import { FOLDER_MODE } from './make-folders.js';
import { admit } from './site.js';
import type { Site } from './site.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;

export async function setMode(set: ChangeSet, site: Site): Promise<void> {
  const { existing, change } = site;
  if (existing === undefined || change.after.kind !== 'folder' || change.after.mode === undefined) return;
  if (set.guard !== undefined) admit(set, site, await site.spot.held.anchor.whereabouts());
  const put = (mode: number) => changeMode(site, mode);
  put(change.after.mode & FOLDER_MODE);
  set.steps.push({ kind: 'done', path: change.path, undo: () => put(existing.mode & 0o7777) });
}

function changeMode(site: Site, mode: number): void {
  const descriptor = fs.openSync(nameOf(site), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const isIt = site.existing && isSame(identityOf(fs.fstatSync(descriptor)), identityOf(site.existing));
    if (!isIt) throw new Moved(site.name);
    fs.fchmodSync(descriptor, mode);
  } finally {
    fs.closeSync(descriptor);
  }
}
