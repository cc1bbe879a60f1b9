/** Puts what is there now back to what it was, entry by entry, outer ones first. What has to go is put away. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { statsOf } from '../resolve/places.js';
import type { FileName } from './quarantine.js';
import type { Entry } from './snapshot.js';
import { hasSameRights, isUntouched } from './stamp.js';
import { giveRights, writeAnew } from './write-anew.js';

export type Reverted = {
  readonly path: AbsolutePath;
  readonly what: 'created' | 'changed' | 'removed' | 'replaced';
  /** Where that is now which was there instead. */
  readonly quarantined?: AbsolutePath;
};

export interface Restorer {
  /** Throws unless the folders on the way to it are real ones: nothing is done behind a link. */
  checkWay(file: AbsolutePath): void;
  putAway(thing: FileName): AbsolutePath;
}

/** Returns what was wrong with it. */
export function restore(entry: Entry, restorer: Restorer): readonly Reverted[] {
  const stats = statsOf(entry.path);
  const found = stats === undefined ? 'nothing' : kindOf(stats);
  if (found !== entry.kind) return [replace(entry, found, restorer)];
  if (stats === undefined) return [];
  if (entry.kind === 'file') return restoreFile(entry, stats, restorer);
  if (entry.kind === 'link') return restoreLink(entry, restorer);
  return entry.kind === 'folder' ? restoreFolder(entry, stats, restorer) : [];
}

function kindOf(stats: Stats): Exclude<Entry['kind'], 'nothing'> {
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'special';
}

function replace(entry: Entry, found: Entry['kind'], restorer: Restorer): Reverted {
  restorer.checkWay(entry.path);
  const quarantined = found === 'nothing' ? {} : { quarantined: restorer.putAway(entry.path) };
  writeAnew(entry);
  const instead = found === 'nothing' ? 'removed' : 'replaced';
  return { path: entry.path, what: entry.kind === 'nothing' ? 'created' : instead, ...quarantined };
}

function restoreFile(entry: Extract<Entry, { kind: 'file' }>, stats: Stats, restorer: Restorer): readonly Reverted[] {
  if (isUntouched(entry.stamp, stats)) return [];
  const isSame = stats.size === entry.content.length && contentOf(entry.path)?.equals(entry.content);
  if (isSame && hasSameRights(entry.stamp, stats) && stats.nlink <= entry.stamp.names) return [];
  restorer.checkWay(entry.path);
  const quarantined = isSame ? {} : { quarantined: restorer.putAway(entry.path) };
  // Always a new file: the old one may be open, or have another name that it can be changed by.
  writeAnew(entry);
  return [{ path: entry.path, what: 'changed', ...quarantined }];
}

function restoreLink(entry: Extract<Entry, { kind: 'link' }>, restorer: Restorer): readonly Reverted[] {
  if (readlinkSync(entry.path) === entry.target) return [];
  restorer.checkWay(entry.path);
  const quarantined = restorer.putAway(entry.path);
  writeAnew(entry);
  return [{ path: entry.path, what: 'changed', quarantined }];
}

function restoreFolder(
  entry: Extract<Entry, { kind: 'folder' }>,
  stats: Stats,
  restorer: Restorer,
): readonly Reverted[] {
  if (isUntouched(entry.stamp, stats)) return [];
  const reverted: Reverted[] = [];
  if (!hasSameRights(entry.stamp, stats)) {
    restorer.checkWay(entry.path);
    giveRights(entry.path, entry.stamp);
    reverted.push({ path: entry.path, what: 'changed' });
  }
  const { names } = entry;
  if (names === undefined) return reverted;
  restorer.checkWay(entry.path);
  const added = readdirSync(entry.path, { encoding: 'buffer' }).filter((name) => !names.has(name.toString()));
  return [...reverted, ...added.map((name) => addition(entry.path, name, restorer))];
}

/** Its name may be no text at all, so it is moved by its bytes. */
function addition(folder: AbsolutePath, name: Buffer, restorer: Restorer): Reverted {
  const quarantined = restorer.putAway(Buffer.concat([Buffer.from(`${folder}${path.sep}`), name]));
  return { path: absolutePath(path.join(folder, name.toString())), what: 'created', quarantined };
}

/** Undefined when it may not even be read any more. */
function contentOf(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
