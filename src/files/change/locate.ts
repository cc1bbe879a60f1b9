/**
 * Finds where each change of a set really is, and makes sure that it may be made there and that what is there is what was
 * seen. Nothing is changed yet.
 */
import fs from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import type { FileChange } from '../../core/files.js';
import { placeIn } from '../anchor.js';
import { denied } from '../guard.js';
import { sideBySide } from '../../core/side-by-side.js';
import { splitName } from '../split-name.js';
import type { ChangeSet } from './change-set.js';
import { mustBeAsSeen } from './compare.js';
import type { HeldFolder, Spot } from './held-folders.js';
import { admit, blaming } from './site.js';
import type { Site } from './site.js';

/** As many as the kernel follows itself. */
const MOST_LINKS = 40;

export async function locateAll(set: ChangeSet, changes: readonly FileChange[]): Promise<readonly Site[]> {
  const makingWay = new Map(changes.filter(makesWay).map((change) => [change.path as string, change]));
  const wayFor = (change: FileChange) =>
    change.before.kind === 'absent' ? above(change.path).find((each) => makingWay.has(each)) : undefined;
  const sites = new Map<string, Site>();
  const check = async (change: FileChange, find: () => Promise<Site>): Promise<void> =>
    blaming(change.path, async () => {
      const site = await find().catch((error: unknown) => {
        if (!NO_WAY.has(errorCode(error))) throw error;
        // The way there is gone, and what was seen with it; or there never was one.
        throw change.before.kind === 'absent' ? noWay(change, error) : changed(change, error);
      });
      await mustBeAllowed(set, site);
      mustBeAsSeen(site);
      sites.set(change.path, site);
    });

  const [now, later] = [changes.filter((each) => !wayFor(each)), changes.filter((each) => wayFor(each))];
  await sideBySide(now, (change) => check(change, () => locate(set, change)));
  for (const change of later) {
    const gone = sites.get(wayFor(change) ?? '');
    if (gone !== undefined) await check(change, async () => behind(gone, change));
  }
  const located = changes.flatMap((change) => sites.get(change.path) ?? []);
  mustBeDifferentFiles(located);
  return located;
}

const NO_WAY: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

function changed({ path: file }: FileChange, cause: unknown): FileProblem {
  return new FileProblem('changed', file, undefined, { cause });
}

function noWay({ path: file }: FileChange, cause: unknown): FileProblem {
  const reason = errorCode(cause) === 'ENOTDIR' ? 'a part of its path is not a folder' : undefined;
  return new FileProblem('missing', file, reason, { cause });
}

/** A folder can take the place of this one. */
function makesWay({ before, after }: FileChange): boolean {
  return ['file', 'link'].includes(before.kind) && ['absent', 'folder'].includes(after.kind);
}

/** The nearest first. */
function above(file: string): readonly string[] {
  const parent = path.dirname(file);
  return parent === file ? [] : [parent, ...above(parent)];
}

async function locate(set: ChangeSet, change: FileChange): Promise<Site> {
  const follows = change.before.kind === 'file' && change.after.kind === 'file';
  let target: string = change.path;
  for (let linksLeft = MOST_LINKS; ; linksLeft -= 1) {
    const { folder, name } = splitName(target);
    if (name === undefined) throw new FileProblem('folder', change.path);
    const spot = await set.folders.find(folder);
    const existing = spot.missing.length === 0 ? lookAt(`${spot.held.anchor.path}/${name}`) : undefined;
    const late = change.after.kind === 'folder' && existing?.isDirectory() === false;
    if (!follows || existing?.isSymbolicLink() !== true) return { change, spot, name, existing, late };
    if (linksLeft === 0) throw new FileProblem('broken', change.path, 'ELOOP');
    target = await followed(set, change, spot.held, name);
  }
}

function lookAt(file: string): Stats | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false });
}

/** A relative link starts at the folder that is held open, whatever that is called by now. */
async function followed({ guard }: ChangeSet, change: FileChange, held: HeldFolder, name: string): Promise<string> {
  if (guard !== undefined) {
    const link = placeIn(await held.found(), name);
    if (!guard.mayFollow(link)) throw denied(guard, 'write', link.path, change.path);
  }
  const text = fs.readlinkSync(`${held.anchor.path}/${name}`);
  return text.startsWith('/') ? text : `${held.anchor.path}/${text}`;
}

/** In a folder that is going to be where something else is now. */
function behind(gone: Site, change: FileChange): Site {
  const between = path.relative(gone.change.path, change.path).split(path.sep);
  const name = between.pop() ?? '';
  const spot: Spot = { held: gone.spot.held, missing: [...gone.spot.missing, gone.name, ...between] };
  return { change, spot, name, existing: undefined, late: true };
}

/** Folders that are missing have to be allowed as well, one by one. */
async function mustBeAllowed(set: ChangeSet, site: Site): Promise<void> {
  if (set.guard === undefined) return;
  const { held, missing } = site.spot;
  let found = await held.found();
  for (const name of missing) {
    admit(set, { ...site, name, existing: undefined }, found);
    found = placeIn(found, name);
  }
  admit(set, site, found);
}

/** By another name, or through a link, two changes can be about one file. */
function mustBeDifferentFiles(sites: readonly Site[]): void {
  const known = new Map<string, Site>();
  for (const site of sites) {
    const key = [site.spot.held.key, ...site.spot.missing, site.name].join('/');
    const other = known.get(key);
    if (other) throw new FileProblem('broken', site.change.path, `it is the same file as ${other.change.path}`);
    known.set(key, site);
  }
}
