/**
 * Remembers what is in the workspace, so that it can be said afterwards what a command did there. What was changed while
 * no command ran, by people or by a program that went on after its call, is taken as it is found and is nobody's.
 */
import path from 'node:path';

import type { FileState } from '../core/files.js';
import { absolutePath, isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { HISTORIES, isUnwatched, scan, seeEntry } from './scan.js';
import type { Scan, ScanLimits, Seen } from './scan.js';
import { seenState } from './seen-state.js';
import { describeUncovered } from './uncovered.js';

export interface WorkspaceWatch {
  /** Takes everything as it is. */
  refresh(): void;
  /** What has changed since the last look. */
  compare(): Difference;
  /** These have been changed by somebody who has recorded it. */
  note(paths: readonly AbsolutePath[]): void;
}

export type Difference = {
  readonly changes: readonly SeenChange[];
  /** In words, what may have been changed beyond that. */
  readonly uncovered?: string;
};

export type SeenChange = {
  readonly path: AbsolutePath;
  readonly before: FileState;
  /** Without a state where it is too large to be read. */
  readonly after?: FileState;
  readonly size: number;
  readonly modified: number;
};

export function watchWorkspace(cwd: AbsolutePath, limits: ScanLimits): WorkspaceWatch {
  let known: Scan | undefined;
  let isTooLarge = false;
  /** Half an answer is not worth the time that every command would take. */
  const look = (): Scan => {
    const now = scan(cwd, limits, known);
    isTooLarge = now.isCutShort;
    known = isTooLarge ? undefined : now;
    return now;
  };
  return {
    refresh() {
      if (!isTooLarge) look();
    },
    compare() {
      const before = known;
      if (before !== undefined) return difference(cwd, { before, now: look(), limits });
      const uncovered = describeUncovered({ cwd, lost: [], unwatched: [] }, { isCutShort: isTooLarge, limits });
      return { changes: [], ...(uncovered !== undefined && { uncovered }) };
    },
    note(paths) {
      for (const each of paths) if (known && isWatched(cwd, each)) noteOne(known, each, limits);
    },
  };
}

type Compared = { readonly before: Scan; readonly now: Scan; readonly limits: ScanLimits };

function difference(cwd: AbsolutePath, { before, now, limits }: Compared): Difference {
  const changes: SeenChange[] = [];
  const [lost, unwatched]: [string[], string[]] = [[], []];
  const around = { limits, now: Date.now(), bytes: now.bytes };
  for (const [name, old] of before.entries) {
    if (isShutAway(now, name)) continue;
    // Where not all was looked at, it may still be there.
    const fresh = now.entries.get(name) ?? (now.isCutShort ? seeEntry(name, around) : undefined);
    if (isUnwatchedFolder(name, old)) {
      if (old.stats.mtimeMs !== fresh?.stats.mtimeMs) unwatched.push(name);
    } else if (old !== fresh && !isSame(old, fresh)) {
      const state = seenState(old);
      if (state === undefined || fresh?.kind === 'other') lost.push(name);
      else changes.push(seenChange(name, state, fresh));
    }
  }
  for (const [name, fresh] of now.entries) {
    if (before.entries.has(name) || !wasListed(before, name)) continue;
    if (isUnwatchedFolder(name, fresh)) unwatched.push(name);
    else if (fresh.kind === 'other') lost.push(name);
    else changes.push(seenChange(name, { kind: 'absent' }, fresh));
  }
  const isCutShort = before.isCutShort || now.isCutShort;
  const isWorthSaying = changes.length > 0 || unwatched.some((name) => !HISTORIES.has(path.basename(name)));
  const places = { cwd, lost, unwatched: isWorthSaying ? unwatched : [] };
  const uncovered = describeUncovered(places, { isCutShort, limits });
  return { changes, ...(uncovered !== undefined && { uncovered }) };
}

/** In a folder that came into being since, all is new. */
function wasListed({ entries, listed }: Scan, name: string): boolean {
  let folder = path.dirname(name);
  while (!listed.has(folder) && entries.get(folder)?.kind !== 'folder' && folder !== path.dirname(folder)) {
    folder = path.dirname(folder);
  }
  return listed.has(folder);
}

/** Below a folder that cannot be looked into any more. */
function isShutAway({ closed }: Pick<Scan, 'closed'>, name: string): boolean {
  if (closed.size === 0) return false;
  const folder = path.dirname(name);
  return closed.has(folder) || (folder !== name && isShutAway({ closed }, folder));
}

function isSame(old: Seen, fresh: Seen | undefined): boolean {
  if (fresh === undefined || old.kind !== fresh.kind) return false;
  if (old.kind === 'link') return old.target === fresh.target;
  if (old.stats.mode !== fresh.stats.mode) return false;
  if (old.kind !== 'file') return true;
  if (old.content && fresh.content) return old.content.equals(fresh.content);
  return old.stats.mtimeMs === fresh.stats.mtimeMs && old.stats.size === fresh.stats.size;
}

/** Only its own time tells that something was put in or taken out. */
function isUnwatchedFolder(name: string, { kind }: Seen): boolean {
  return kind === 'folder' && isUnwatched(path.basename(name));
}

function seenChange(name: string, before: FileState, fresh: Seen | undefined): SeenChange {
  const after: FileState | undefined = fresh === undefined ? { kind: 'absent' } : seenState(fresh);
  const [size, modified] = [fresh?.stats.size ?? 0, fresh?.stats.mtimeMs ?? 0];
  return { path: absolutePath(name), before, ...(after && { after }), size, modified };
}

function isWatched(cwd: AbsolutePath, name: AbsolutePath): boolean {
  if (name === cwd || !isInside(cwd, name)) return false;
  return !path.relative(cwd, path.dirname(name)).split(path.sep).some(isUnwatched);
}

function noteOne({ entries, listed, bytes }: Scan, name: AbsolutePath, limits: ScanLimits): void {
  const earlier = entries.get(name);
  bytes.total -= earlier?.content?.length ?? 0;
  const seen = seeEntry(name, { limits, now: Date.now(), bytes });
  if (seen === undefined) entries.delete(name);
  else entries.set(name, seen);
  if (seen?.kind === 'folder' && earlier?.kind !== 'folder') listed.add(name);
}
