/** What a protected place looks like, kept in memory, so that it can be put back as it was. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { Rejected, messageOf } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place } from '../policy.js';
import { statsOf } from '../resolve/places.js';
import { DECIDING_PARTS, NESTED_PARTS, isGitFolder } from './git-parts.js';
import { stampOf } from './stamp.js';
import type { Stamp } from './stamp.js';

export type Entry = { readonly path: AbsolutePath } & (
  | { readonly kind: 'file'; readonly stamp: Stamp; readonly content: Buffer }
  | { readonly kind: 'link'; readonly target: string }
  /** `names`: whatever else appears in it is put away. Absent where a folder may grow. */
  | { readonly kind: 'folder'; readonly stamp: Stamp; readonly names?: ReadonlySet<string> }
  /** A socket or the like: it can be missed, but not be made again. */
  | { readonly kind: 'special' }
  /** A name that would mean something, and was free. */
  | { readonly kind: 'nothing' }
);

export type SnapshotBounds = { readonly maxFiles: number; readonly maxBytes: number; readonly now: () => number };

/** Outer ones first. Throws when there is too much, or something that could not be put back. */
export function takeSnapshot(place: Place, granted: readonly Place[], bounds: SnapshotBounds): readonly Entry[] {
  const camera: Camera = { entries: [], bytes: 0, place, granted, bounds };
  try {
    if (place.kind === 'folder' && isGitFolder(place.path)) addGitFolder(place.path, camera);
    else addWhole(place.path, camera);
  } catch (error) {
    if (error instanceof Rejected) throw error;
    throw cannotKeep(place, messageOf(error));
  }
  return camera.entries;
}

/** A folder of which nothing but itself matters. */
export function folderEntry(file: AbsolutePath, stats: Stats, now: number): Extract<Entry, { kind: 'folder' }> {
  return { path: file, kind: 'folder', stamp: stampOf(stats, now) };
}

type Camera = {
  readonly entries: Entry[];
  bytes: number;
  readonly place: Place;
  readonly granted: readonly Place[];
  readonly bounds: SnapshotBounds;
};

function addGitFolder(folder: AbsolutePath, camera: Camera): void {
  if (isGranted(folder, camera)) return;
  add(folderEntry(folder, lstatSync(folder), camera.bounds.now()), camera);
  for (const part of DECIDING_PARTS) addWhole(below(folder, part), camera);
  for (const part of NESTED_PARTS) addNested(below(folder, part), camera);
}

function addNested(folder: AbsolutePath, camera: Camera): void {
  const stats = statsOf(folder);
  if (!stats?.isDirectory()) return addWhole(folder, camera);
  if (isGitFolder(folder)) return addGitFolder(folder, camera);
  add(folderEntry(folder, stats, camera.bounds.now()), camera);
  for (const name of namesIn(folder, camera)) addNested(below(folder, name), camera);
}

function addWhole(file: AbsolutePath, camera: Camera): void {
  if (isGranted(file, camera)) return;
  const stats = statsOf(file);
  if (stats?.isDirectory()) {
    const names = namesIn(file, camera);
    add({ ...folderEntry(file, stats, camera.bounds.now()), names: new Set(names) }, camera);
    for (const name of names) addWhole(below(file, name), camera);
  } else {
    add(leafEntry(file, stats, camera), camera);
  }
}

function leafEntry(file: AbsolutePath, stats: Stats | undefined, camera: Camera): Entry {
  if (stats === undefined) return { path: file, kind: 'nothing' };
  if (stats.isSymbolicLink()) return { path: file, kind: 'link', target: exact(readlinkSync(file), camera) };
  return stats.isFile() ? fileEntry(file, camera) : { path: file, kind: 'special' };
}

function fileEntry(file: AbsolutePath, camera: Camera): Entry {
  // Neither a link nor a pipe that was put there just now is waited for.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    camera.bytes += stats.size;
    if (camera.bytes > camera.bounds.maxBytes) throw cannotKeep(camera.place, 'it is too large');
    return { path: file, kind: 'file', stamp: stampOf(stats, camera.bounds.now()), content: readFileSync(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

function namesIn(folder: string, camera: Camera): readonly string[] {
  return readdirSync(folder).map((name) => exact(name, camera));
}

/** What is not valid UTF-8 was changed on the way in and could not be put back as it was. */
function exact(text: string, { place }: Camera): string {
  if (text.includes('\uFFFD')) throw cannotKeep(place, 'a name in it is not valid UTF-8');
  return text;
}

function add(entry: Entry, { entries, bounds, place }: Camera): void {
  entries.push(entry);
  if (entries.length > bounds.maxFiles) throw cannotKeep(place, 'it holds too many files');
}

function isGranted(file: AbsolutePath, { granted }: Camera): boolean {
  return granted.some((place) => isInside(place.path, file));
}

function below(folder: AbsolutePath, name: string): AbsolutePath {
  return absolutePath(path.join(folder, name));
}

function cannotKeep({ path: file }: Place, why: string): Rejected {
  return new Rejected(
    'policy',
    `${file} is protected, and the sandbox of this system could only undo changes to it; ${why}, so nothing was run.`,
  );
}
