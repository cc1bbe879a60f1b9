/** Tells whether something was touched without reading it. No command can set the time of the last change of its own. */
import type { Stats } from 'node:fs';

export type Stamp = {
  readonly inode: number;
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  /** How many names it has: another one would be a way to change it later. */
  readonly names: number;
  readonly size: number;
  readonly changedAt: number;
  /** Not so while a change could still fall into the same tick of the file system's clock. */
  readonly settled: boolean;
};

/** The coarsest clock of a file system counts in two seconds. */
const TICK_MS = 2_500;

export function stampOf(stats: Stats, now: number): Stamp {
  return {
    inode: stats.ino,
    mode: stats.mode & 0o7777,
    owner: stats.uid,
    group: stats.gid,
    names: stats.nlink,
    size: stats.size,
    changedAt: stats.ctimeMs,
    settled: now - stats.ctimeMs > TICK_MS,
  };
}

/** Whether it is still the same thing, and not a later one that was given the same number. */
export function isSameThing(before: Stats, now: Stats): boolean {
  if (before.dev !== now.dev || before.ino !== now.ino) return false;
  // Where the system does not know when a thing was made, it says when it was changed.
  return before.birthtimeMs === before.ctimeMs || before.birthtimeMs === now.birthtimeMs;
}

/** What a thing is found by under another name. */
export function identityOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}

export function isUntouched(before: Stamp, stats: Stats): boolean {
  const { inode, size, changedAt, settled } = before;
  return (
    settled && inode === stats.ino && size === stats.size && changedAt === stats.ctimeMs && hasSameRights(before, stats)
  );
}

export function hasSameRights({ mode, owner, group }: Stamp, stats: Stats): boolean {
  return mode === (stats.mode & 0o7777) && owner === stats.uid && group === stats.gid;
}
