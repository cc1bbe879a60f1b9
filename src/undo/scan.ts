/**
 * One look at everything in a folder, as cheap as it can be: what looks as it did at the last look is not read again.
 * All of it is done at once, so that nothing of ours happens in between.
 */
import { constants, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { withFolder } from './with-folder.js';

export type ScanLimits = {
  readonly entries: number;
  /** The largest file whose content is remembered. */
  readonly fileBytes: number;
  /** Of all contents together. */
  readonly totalBytes: number;
};

export const USUAL_LIMITS: ScanLimits = { entries: 1000, fileBytes: 1024 * 1024, totalBytes: 16 * 1024 * 1024 };

export type Seen = {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly stats: Stats;
  /** Absent where it is too large, too much or cannot be read. */
  readonly content?: Buffer;
  readonly target?: string;
  /** It was changed so shortly before we looked that another change might not show in its times. */
  readonly isFresh: boolean;
};

export type Scan = {
  readonly entries: Map<string, Seen>;
  /** Folders whose names are all known. */
  readonly listed: Set<string>;
  /** Folders that cannot be looked into. */
  readonly closed: Set<string>;
  /** Whether there was more than there is room for. */
  readonly isCutShort: boolean;
  readonly bytes: { total: number };
};

/** Made by programs, large, and made again by them. */
const UNWATCHED = new Set(
  '.git .hg .svn node_modules .venv venv __pycache__ target dist build out .next .nuxt .cache .gradle .tox .mypy_cache .pytest_cache .ruff_cache .turbo .parcel-cache coverage'.split(
    ' ',
  ),
);

export const HISTORIES: ReadonlySet<string> = new Set(['.git', '.hg', '.svn']);

export function isUnwatched(name: string): boolean {
  return UNWATCHED.has(name);
}

export function scan(root: string, limits: ScanLimits, earlier: Scan | undefined): Scan {
  const [entries, listed, closed] = [new Map<string, Seen>(), new Set<string>(), new Set<string>()];
  const around = { limits, now: Date.now(), bytes: { total: 0 } };
  let isCutShort = false;
  // What is near the top comes first: if not all has room, that is what most work is about.
  const folders = [root];
  const visit = (folder: string, at: string): void => {
    const names = namesIn(at);
    if (entries.size + names.length > limits.entries) {
      isCutShort = true;
      return;
    }
    listed.add(folder);
    for (const name of names) {
      const file = `${folder}/${name}`;
      const seen = see(`${at}/${name}`, earlier?.entries.get(file), around);
      if (seen === undefined) continue;
      entries.set(file, seen);
      if (seen.kind === 'folder' && !isUnwatched(name)) folders.push(file);
    }
  };
  for (const folder of folders) if (!withFolder(folder, (at) => visit(folder, at))) closed.add(folder);
  return { entries, listed, closed, isCutShort, bytes: around.bytes };
}

/** There only while a change of ours is made. */
const TEMPORARY = /^\.tenon-(?:lock$|\d+-.*\.tmp$)/;

/** Names that are no text cannot be told of. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => !name.includes('\ufffd') && !TEMPORARY.test(name));
}

type Around = { readonly limits: ScanLimits; readonly now: number; readonly bytes: { total: number } };

/** One entry by its name. */
export function seeEntry(name: string, around: Around): Seen | undefined {
  let seen: Seen | undefined;
  withFolder(path.dirname(name), (at) => void (seen = see(`${at}/${path.basename(name)}`, undefined, around)));
  return seen;
}

function see(at: string, earlier: Seen | undefined, around: Around): Seen | undefined {
  const stats = lstatOf(at);
  if (stats === undefined) return undefined;
  const isKnown = earlier !== undefined && !earlier.isFresh && isSameStamp(earlier.stats, stats);
  const seen = isKnown ? earlier : look(at, stats, around);
  around.bytes.total += seen.content?.length ?? 0;
  return seen;
}

function look(at: string, stats: Stats, { limits, now, bytes }: Around): Seen {
  const isFresh = now - stats.ctimeMs < FRESH_MS;
  if (stats.isDirectory()) return { kind: 'folder', stats, isFresh: false };
  if (stats.isSymbolicLink()) return { kind: 'link', stats, isFresh, ...optional('target', () => readlinkSync(at)) };
  if (!stats.isFile()) return { kind: 'other', stats, isFresh };
  const hasRoom = stats.size <= limits.fileBytes && bytes.total + stats.size <= limits.totalBytes;
  if (!hasRoom) return { kind: 'file', stats, isFresh };
  return { kind: 'file', stats, isFresh, ...optional('content', () => readFileSync(at, { flag: READ_FLAGS })) };
}

/** The times of files advance in steps of some milliseconds. */
const FRESH_MS = 50;
const READ_FLAGS = (constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK) as unknown as string;

function isSameStamp(one: Stats, other: Stats): boolean {
  return (
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.mode === other.mode
  );
}

function optional<Key extends string, Value>(key: Key, make: () => Value): { readonly [Name in Key]?: Value } {
  try {
    return { [key]: make() } as { readonly [Name in Key]: Value };
  } catch {
    return {};
  }
}

function lstatOf(name: string): Stats | undefined {
  try {
    return lstatSync(name, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
