/** Folders that are missing are made one by one, each in one that is held open. */
import fs from 'node:fs';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import type { ChangeSet } from './change-set.js';
import type { HeldFolder } from './held-folders.js';
import { admit } from './site.js';
import type { Site } from './site.js';

/** Not who may act as whom. */
export const FOLDER_MODE = 0o3777;

/** The folder that a change is in. */
export async function makeParents(set: ChangeSet, site: Site): Promise<HeldFolder> {
  let folder = site.spot.held;
  for (const name of site.spot.missing) {
    folder = set.folders.entered(folder, name) ?? (await makeAndEnter(set, folder, { ...site, name }));
  }
  return folder;
}

async function makeAndEnter(set: ChangeSet, parent: HeldFolder, site: Site): Promise<HeldFolder> {
  await make(set, parent, site);
  return set.folders.enter(parent, site.name);
}

/** The folder that a change makes. */
export async function makeFolder(set: ChangeSet, site: Site): Promise<void> {
  const { path, after } = site.change;
  const parent = await makeParents(set, site);
  const made = await make(set, parent, site);
  if (!made) throw new FileProblem('in-the-way', path);
  if (after.kind !== 'folder' || after.mode === undefined) return;
  const folder = await set.folders.enter(parent, site.name);
  await fs.promises.chmod(folder.anchor.path, after.mode & FOLDER_MODE);
}

async function make(set: ChangeSet, parent: HeldFolder, site: Site): Promise<boolean> {
  const target = `${parent.anchor.path}/${site.name}`;
  if (set.guard !== undefined) admit(set, { ...site, existing: undefined }, await parent.anchor.whereabouts());
  try {
    fs.mkdirSync(target);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
  set.touched.add(parent);
  set.steps.push({ kind: 'done', path: site.change.path, undo: () => removeFolder(target) });
  return true;
}

/** Unless somebody has put something there: then it is theirs. */
function removeFolder(target: string): void {
  try {
    fs.rmdirSync(target);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw error;
  }
}
