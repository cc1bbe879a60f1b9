/**
 * A new file or link gets its name, in one step: whoever looks sees all of the old or all of the new. Nothing is awaited
 * here between the last look at what is replaced and the new name, so no two sets of this process can both have seen it.
 */
import fs from 'node:fs';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import type { FileState } from '../../core/files.js';
import { identityOf, isSame } from '../anchor.js';
import type { Identity } from '../anchor.js';
import type { ChangeSet, Temporary } from './change-set.js';
import { confirm } from './compare.js';
import type { HeldFolder } from './held-folders.js';
import { keepOriginal, linkUnlessThere } from './keep-original.js';
import type { Site } from './site.js';

export type Placement = {
  readonly site: Site;
  readonly folder: HeldFolder;
  /** The content of a file; a link has none. */
  readonly staged?: Temporary;
};

export function putInPlace(set: ChangeSet, placement: Placement): void {
  const { site, folder } = placement;
  set.touched.add(folder);
  if (site.existing === undefined || site.existing.isDirectory()) makeNew(set, placement);
  else replace(set, placement);
}

/** Links of files fail where something is, and so do symbolic links: nothing that has come meanwhile is replaced. */
function makeNew(set: ChangeSet, { site, folder, staged }: Placement): void {
  const { path, after } = site.change;
  const target = `${folder.anchor.path}/${site.name}`;
  const made = staged && identityAt(staged.path);
  const isOurs = () => (made === undefined ? isLink(target, after) : isAt(target, made));
  try {
    if (after.kind === 'link') fs.symlinkSync(after.target, target);
    if (staged !== undefined) linkUnlessThere(staged.path, target);
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? new FileProblem('in-the-way', path, undefined, { cause: error }) : error;
  }
  const undo = () => {
    if (isOurs()) fs.unlinkSync(target);
  };
  set.steps.push({ kind: 'done', path, undo });
}

function replace(set: ChangeSet, { site, folder, staged }: Placement): void {
  const { path, after } = site.change;
  const target = `${folder.anchor.path}/${site.name}`;
  const next = staged ?? set.temporary(folder);
  if (after.kind === 'link') fs.symlinkSync(after.target, next.path);
  const made = identityAt(next.path);
  const { original, kept } = keepOriginal(set, site, confirm(site));
  fs.renameSync(next.path, target);
  set.renamed.add(next);
  const undo = () => {
    if (!isAt(target, made)) throw new Error('somebody else has replaced it');
    fs.renameSync(original.path, target);
  };
  set.steps.push({ kind: 'done', path, undo, original, ...(kept && { kept }) });
}

function identityAt(file: string): Identity {
  return identityOf(fs.lstatSync(file));
}

function isAt(file: string, identity: Identity): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && isSame(identityOf(stats), identity);
}

function isLink(file: string, state: FileState): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true && state.kind === 'link' && fs.readlinkSync(file) === state.target;
}
