/** What a command did, entry by entry. A deleted folder is one change for each thing that was in it. */
import type { BigIntStats } from 'node:fs';

export type Change = {
  /** Relative to the workspace, with `/` between names; the workspace itself is `.`. */
  readonly path: string;
  /** `replaced`: something of another kind has its name now. */
  readonly kind: 'added' | 'modified' | 'replaced' | 'deleted' | 'mode-changed';
  /** What it is now, or was until it was deleted. */
  readonly entry: EntryKind;
  /** As the command left it; nothing where it deleted it. */
  readonly staged?: Facts;
  /** As it is in the workspace; nothing where it is new. */
  readonly present?: Facts;
  /** Why it cannot be fully told or ever be committed. */
  readonly problem?: string;
};

type EntryKind = 'file' | 'folder' | 'link' | 'fifo' | 'socket' | 'device';

/** What something was when it was looked at. */
export type Facts = {
  readonly entry: EntryKind;
  /** The permission bits. */
  readonly mode: number;
  readonly size: number;
  /** Stays the same through renames and links, and differs as soon as the content may. */
  readonly identity: string;
  /** Nanoseconds, as digits. No program can set this time back. */
  readonly changed: string;
};

export function factsOf(stats: BigIntStats): Facts {
  const entry = entryKind(stats);
  const place = `${stats.dev}:${stats.ino}`;
  return {
    entry,
    mode: Number(stats.mode & 0o7777n),
    size: Number(stats.size),
    identity: entry === 'folder' ? place : `${place}:${stats.size}:${stats.mtimeNs}`,
    changed: String(stats.ctimeNs),
  };
}

/** Whether nothing happened to it in between. A folder's times say only that something in it changed. */
export function isSame(one: Facts | undefined, other: Facts | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const isQuiet = one.entry === 'folder' || one.changed === other.changed;
  return isQuiet && one.entry === other.entry && one.identity === other.identity && one.mode === other.mode;
}

function entryKind(stats: BigIntStats): EntryKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'device';
}
