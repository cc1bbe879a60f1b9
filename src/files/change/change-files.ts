/**
 * Makes a set of changes or none of them. New content is on the disk before any name changes, what is replaced is kept
 * until all is done, and whatever goes wrong in between is taken back. Replacing a name never touches what else the old
 * file was called: other names of it keep what they had. Modes and, where the system lets us, owners stay; other
 * attributes do not.
 */
import fs from 'node:fs';

import { FileProblem } from '../../core/file-problem.js';
import type { FileChange } from '../../core/files.js';
import { identityOf, isSame } from '../anchor.js';
import type { Whereabouts } from '../anchor.js';
import type { Access } from '../guard.js';
import { withFolderLock } from '../folder-lock.js';
import { sideBySide } from '../../core/side-by-side.js';
import { syncDescriptor } from '../sync-descriptor.js';
import { clearUp, openSet } from './change-set.js';
import type { ChangeSet } from './change-set.js';
import { keyOf, removeFolders, removeName, removesFolder, removesName } from './clear-away.js';
import type { GoingFolders } from './clear-away.js';
import type { HeldFolder } from './held-folders.js';
import { locateAll } from './locate.js';
import { makeFolder, makeParents } from './make-folders.js';
import { putInPlace } from './put-in-place.js';
import type { Placement } from './put-in-place.js';
import { setMode } from './set-mode.js';
import { admit, blamed, blaming } from './site.js';
import type { Site } from './site.js';
import { stageContents } from './stage-content.js';
import { takeBack } from './take-back.js';

const { O_RDONLY, O_DIRECTORY } = fs.constants;

/** No name changes before `recorded` has resolved; new content is on its way to the disk by then. */
export async function changeFiles(
  access: Access,
  changes: readonly FileChange[],
  recorded: Promise<unknown>,
): Promise<void> {
  const set = openSet(access);
  try {
    const sites = (await locateAll(set, changes)).filter(hasWork);
    await carryOut(set, sites, recorded).catch((error: unknown) => takeBack(set, error));
    // Before the disk is waited for, which then has all of it to do at once.
    clearUp(set);
    await sideBySide([...set.touched], syncFolder);
  } finally {
    await set.folders.close();
  }
}

function hasWork({ change: { before, after }, existing }: Site): boolean {
  if (before.kind !== after.kind || existing === undefined) return before.kind !== after.kind;
  if (before.kind === 'link' && after.kind === 'link') return before.target !== after.target;
  const mode = 'mode' in after ? after.mode : undefined;
  if (mode !== undefined && (mode & 0o777) !== (existing.mode & 0o777)) return true;
  return before.kind === 'file' && after.kind === 'file' && Buffer.compare(before.content, after.content) !== 0;
}

/** Who moves something loses nothing when we are killed: the new name is there before the old one goes, if it can be. */
async function carryOut(set: ChangeSet, sites: readonly Site[], recorded: Promise<unknown>): Promise<void> {
  const going = new Map(sites.filter(removesFolder).map((site) => [keyOf(site), site]));
  mustBeLeftEmpty(sites, going);
  const late = sites.filter((site) => site.late);
  if (sites.some(makesFolders)) await recorded;
  const placements = await prepare(
    set,
    sites.filter((site) => !site.late),
  );
  await recorded;
  if (late.length > 0 || sites.some(isFolderReplaced)) {
    await clearAway(set, sites, going);
    await putAll(set, [...placements, ...(await prepare(set, late))]);
  } else {
    await putAll(set, placements);
    await clearAway(set, sites, going);
  }
  for (const site of sites.filter(isFolderKept)) await blaming(site.change.path, () => setMode(set, site));
  mustBeUntouched(set);
}

/** A folder cannot go and get something new. */
function mustBeLeftEmpty(sites: readonly Site[], going: GoingFolders): void {
  for (const { spot, change } of sites) {
    const folder = change.after.kind === 'absent' ? undefined : going.get(spot.held.key);
    if (folder) throw new FileProblem('broken', folder.change.path, 'the folder is not empty');
  }
}

/** Unlike new content under a name of ours, a folder counts as soon as it is there. */
function makesFolders({ spot, change }: Site): boolean {
  return spot.missing.length > 0 || change.after.kind === 'folder';
}

function isFolderReplaced(site: Site): boolean {
  return removesFolder(site) && site.change.after.kind !== 'absent';
}

function isFolderKept({ existing, change }: Site): boolean {
  return existing?.isDirectory() === true && change.after.kind === 'folder';
}

/** Folders first, the outermost first, so that each gets the mode it was given. */
async function prepare(set: ChangeSet, sites: readonly Site[]): Promise<readonly Placement[]> {
  const folders = sites.filter((site) => site.change.after.kind === 'folder' && !isFolderKept(site));
  for (const site of folders.toSorted((a, b) => a.change.path.length - b.change.path.length)) {
    await blaming(site.change.path, () => makeFolder(set, site));
  }
  const named = sites.filter(({ change }) => change.after.kind === 'file' || change.after.kind === 'link');
  const unstaged: Placement[] = [];
  for (const site of named) {
    unstaged.push({ site, folder: await blaming(site.change.path, () => makeParents(set, site)) });
  }
  return stageContents(set, unstaged);
}

async function putAll(set: ChangeSet, placements: readonly Placement[]): Promise<void> {
  await byFolder(
    set,
    placements,
    ({ folder }) => folder,
    (placement) => putInPlace(set, placement),
  );
}

async function clearAway(set: ChangeSet, sites: readonly Site[], going: GoingFolders): Promise<void> {
  const names = sites.filter(removesName).map((site) => ({ site }));
  await byFolder(
    set,
    names,
    ({ site }) => site.spot.held,
    ({ site }) => removeName(set, site, going),
  );
  await removeFolders(set, [...going.values()], going);
}

/** Each folder is asked once more where it is, because it can be moved while it is held, and then all is done in it. */
async function byFolder<Item extends { readonly site: Site }>(
  set: ChangeSet,
  items: readonly Item[],
  folderOf: (item: Item) => HeldFolder,
  act: (item: Item) => void,
): Promise<void> {
  const actIn = (item: Item, found: Whereabouts | undefined): void => {
    if (found !== undefined) admit(set, item.site, found);
    act(item);
  };
  const folders = new Map<HeldFolder, Item[]>();
  for (const item of items) {
    const together = folders.get(folderOf(item)) ?? [];
    together.push(item);
    folders.set(folderOf(item), together);
  }
  for (const [folder, together] of folders) {
    const ask = async () => (set.guard === undefined ? undefined : folder.anchor.whereabouts());
    const actAll = (found: Whereabouts | undefined) => {
      for (const item of together) blamed(item.site.change.path, () => actIn(item, found));
    };
    const [first] = together;
    if (first) await blaming(first.site.change.path, () => withFolderLock(folder.anchor.path, ask, actAll));
  }
}

/** Somebody may have had the old file open and written to it after the last look. */
function mustBeUntouched({ steps }: ChangeSet): void {
  for (const step of steps) {
    if (step.kind !== 'done' || step.original === undefined || step.kept === undefined) continue;
    const now = fs.lstatSync(step.original.path);
    const { kept } = step;
    const same = isSame(identityOf(now), identityOf(kept)) && now.size === kept.size && now.mtimeMs === kept.mtimeMs;
    if (!same) throw new FileProblem('changed', step.path);
  }
}

/** So that new names outlive a power cut; not every system can. */
async function syncFolder({ anchor }: HeldFolder): Promise<void> {
  try {
    const descriptor = fs.openSync(anchor.path, O_RDONLY | O_DIRECTORY);
    await syncDescriptor(descriptor).finally(() => fs.closeSync(descriptor));
  } catch {
    // The names are there all the same.
  }
}
