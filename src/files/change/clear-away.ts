/** Names that go: to names of ours, so that the very same things can come back. A folder goes only when it is empty. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import type { AbsolutePath } from '../../core/paths.js';
import { identityOf, isSame } from '../anchor.js';
import type { ChangeSet, Temporary } from './change-set.js';
import { confirm, nameOf } from './compare.js';
import type { HeldFolder } from './held-folders.js';
import { admit, blaming } from './site.js';
import type { Site } from './site.js';

export function removesName({ existing, change }: Site): boolean {
  return existing?.isDirectory() === false && ['absent', 'folder'].includes(change.after.kind);
}

export function removesFolder({ existing, change }: Site): boolean {
  return existing?.isDirectory() === true && change.after.kind !== 'folder';
}

/** `goingFolders`: what is kept must not be kept in one of these. */
export type GoingFolders = ReadonlyMap<string, Site>;

export function removeName(set: ChangeSet, site: Site, goingFolders: GoingFolders): void {
  moveAside(set, site, goingFolders, confirm(site));
}

/** The innermost first. */
export async function removeFolders(set: ChangeSet, sites: readonly Site[], goingFolders: GoingFolders): Promise<void> {
  for (const site of sites.toSorted((a, b) => b.change.path.length - a.change.path.length)) {
    await blaming(site.change.path, async () => {
      if (set.guard !== undefined) admit(set, site, await site.spot.held.anchor.whereabouts());
      removeFolder(set, site, goingFolders);
    });
  }
}

/** Looked into a second time where nobody finds it any more, so what is seen then stays true. */
function removeFolder(set: ChangeSet, site: Site, goingFolders: GoingFolders): void {
  const { path } = site.change;
  mustBeEmpty(nameOf(site), path);
  const aside = moveAside(set, site, goingFolders);
  const now = fs.lstatSync(aside.path);
  if (!site.existing || !isSame(identityOf(now), identityOf(site.existing))) throw new FileProblem('changed', path);
  mustBeEmpty(aside.path, path);
}

function mustBeEmpty(folder: string, path: AbsolutePath): void {
  const listing = fs.opendirSync(folder);
  try {
    if (listing.readSync() !== null) throw new FileProblem('broken', path, 'the folder is not empty');
  } finally {
    listing.closeSync();
  }
}

function moveAside(set: ChangeSet, site: Site, goingFolders: GoingFolders, kept?: Stats): Temporary {
  const { path } = site.change;
  const target = nameOf(site);
  const original = set.temporary(refuge(site.spot.held, goingFolders));
  try {
    fs.renameSync(target, original.path);
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? new FileProblem('changed', path, undefined, { cause: error }) : error;
  }
  set.touched.add(site.spot.held);
  const undo = () => {
    if (fs.lstatSync(target, { throwIfNoEntry: false })) throw new Error('somebody else has taken the name');
    fs.renameSync(original.path, target);
  };
  set.steps.push({ kind: 'done', path, undo, original, ...(kept && { kept }) });
  return original;
}

function refuge(folder: HeldFolder, goingFolders: GoingFolders): HeldFolder {
  const going = goingFolders.get(folder.key);
  return going === undefined ? folder : refuge(going.spot.held, goingFolders);
}

export function keyOf({ existing }: Site): string {
  return `${existing?.dev}:${existing?.ino}`;
}
