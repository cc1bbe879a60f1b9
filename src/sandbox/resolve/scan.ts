/**
 * Finds protected names in a folder and those below it, breadth first and within bounds. Links are not followed. A
 * folder that has not changed since it was listed is not listed again: only then is this quick enough for every command.
 */
import { readdirSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import path from 'node:path';

import type { AbsolutePath } from '../../core/paths.js';
import { holdsUnnameable } from './odd-names.js';
import { statsOf } from './places.js';

export type ScanRules = {
  readonly names: readonly string[];
  /** Where `.GIT` opens `.git`. */
  readonly ignoreCase: boolean;
  /** How many levels of folders below the root are looked into. */
  readonly maxDepth: number;
  readonly maxEntries: number;
};

/** Whether a name is one of the protected ones. */
export function nameTest({ names, ignoreCase }: Pick<ScanRules, 'names' | 'ignoreCase'>): (name: string) => boolean {
  const spelled = new Set(ignoreCase ? names.map((name) => name.toLowerCase()) : names);
  return ignoreCase ? (name) => spelled.has(name.toLowerCase()) : (name) => spelled.has(name);
}

export type Found = { readonly path: AbsolutePath; readonly kind: 'folder' | 'file' | 'link' };

export type Scan = {
  readonly found: readonly Found[];
  /** Folders that hold something protected which has no name that could be told to anybody. */
  readonly sealed: readonly AbsolutePath[];
  /** Why there may be more. */
  readonly cut?: 'depth' | 'entries';
};

/** What folders held when they were last listed. */
export type Listings = Map<string, Listing>;

type Listing = {
  readonly inode: number;
  readonly changedAt: number;
  /** Not so while a change could still fall into the same tick of the file system's clock. */
  readonly settled: boolean;
  readonly entries: number;
  readonly folders: readonly string[];
  readonly found: readonly Found[];
  readonly sealed?: AbsolutePath;
};

/** The coarsest clock of a file system counts in two seconds. */
const TICK_MS = 2_500;

/** Nothing of what others install there is a place to work in, and there is very much of it. */
const SKIPPED = 'node_modules';

type Clocked = ScanRules & { readonly now: () => number };
type Search = Clocked & { readonly isProtected: (name: string) => boolean };

/** Returns the listings to hand in next time as well: those of folders that are gone are not among them. */
export function scan(root: AbsolutePath, rules: Clocked, before: Listings): Scan & { readonly listings: Listings } {
  const search = { ...rules, isProtected: nameTest(rules) };
  const listings: Listings = new Map();
  const sealed: AbsolutePath[] = [];
  const found: Found[] = [];
  let level: readonly string[] = [root];
  let entries = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > rules.maxDepth) return { found, sealed, listings, cut: 'depth' };
    const next: string[] = [];
    const below = { ...search, maxDepth: rules.maxDepth - depth };
    for (const folder of level) {
      if (entries >= rules.maxEntries) return { found, sealed, listings, cut: 'entries' };
      const listing = listingOf(folder, before.get(folder), below);
      if (listing === undefined) continue;
      listings.set(folder, listing);
      entries += listing.entries;
      found.push(...listing.found);
      if (listing.sealed !== undefined) sealed.push(listing.sealed);
      for (const name of listing.folders) next.push(`${folder}${path.sep}${name}`);
    }
    level = next;
  }
  return { found, sealed, listings };
}

function listingOf(folder: string, before: Listing | undefined, search: Search): Listing | undefined {
  const stats = lookAt(folder);
  if (stats === 'unnameable') return sealing(path.dirname(folder));
  if (!stats?.isDirectory()) return undefined;
  if (before?.settled && before.inode === stats.ino && before.changedAt === stats.ctimeMs) return before;
  const entries = entriesOf(folder, stats);
  if (entries === undefined) return undefined;
  if (entries === 'closed') return sealing(folder);
  return listed(folder, stats, { entries, search });
}

/** Looked at before it is listed, so that a change in between shows next time. */
function listed(
  folder: string,
  stats: Stats,
  { entries, search }: { readonly entries: readonly Dirent[]; readonly search: Search },
): Listing {
  const isOdd = entries.some(({ name }) => name.includes('\uFFFD'));
  const folders: string[] = [];
  const found: Found[] = [];
  for (const entry of entries) {
    const { name } = entry;
    if (search.isProtected(name)) {
      found.push({ path: `${folder}${path.sep}${name}` as AbsolutePath, kind: kindOf(entry) });
    } else if (entry.isDirectory() && name !== SKIPPED) {
      folders.push(name);
    }
  }
  return {
    inode: stats.ino,
    changedAt: stats.ctimeMs,
    settled: !isOdd && search.now() - stats.ctimeMs > TICK_MS,
    entries: entries.length,
    folders,
    found,
    ...(isOdd && holdsUnnameable(folder, search) ? { sealed: folder as AbsolutePath } : {}),
  };
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'folder' : 'file';
}

/** A path can be too long to be named, although a command gets there step by step. */
function lookAt(folder: string): Stats | 'unnameable' | undefined {
  try {
    return statsOf(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG' ? 'unnameable' : undefined;
  }
}

/** Somebody else's folder stays closed to the command too; the user's own is one `chmod` away. */
function entriesOf(folder: string, stats: Stats): readonly Dirent[] | 'closed' | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return stats.uid === process.geteuid?.() ? 'closed' : undefined;
  }
}

function sealing(folder: string): Listing {
  const nothing = { inode: -1, changedAt: -1, settled: false, entries: 0, folders: [], found: [] };
  return { ...nothing, sealed: folder as AbsolutePath };
}
