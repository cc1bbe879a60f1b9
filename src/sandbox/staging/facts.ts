/** What is found when an entry is looked at, and whether it is still the same later. */
import type { BigIntStats } from 'node:fs';

import type { Facts, StagedKind } from '../../core/staging.js';

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

function entryKind(stats: BigIntStats): StagedKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'device';
}
