/** What has these names now: with its content as long as there is room, else by its hash, and what is large by its time. */
import type { FileState } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import type { StoredState } from './entry.js';
import { seeEntry } from './scan.js';
import type { ScanLimits, Seen } from './scan.js';
import { seenState } from './seen-state.js';
import { storedState } from './states.js';

export type Captured = {
  readonly path: AbsolutePath;
  readonly stored: StoredState;
  /** Absent where there was no room for its content. */
  readonly state?: FileState;
};

/** So many are looked at before others get their turn: one is looked at faster than waited for. */
const AT_ONCE = 128;

/** `room`: in bytes, for all contents together. What is neither file, link nor folder is left out. */
export async function capture(
  paths: Iterable<AbsolutePath>,
  limits: ScanLimits,
  room: number,
): Promise<readonly Captured[]> {
  const captured: Captured[] = [];
  let used = 0;
  for (const path of paths) {
    const seen = see(path, limits);
    const size = seen?.content?.length ?? 0;
    captured.push(...captureOne(path, seen, used + size <= room));
    if (used + size <= room) used += size;
    if (captured.length % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return captured;
}

function see(path: AbsolutePath, limits: ScanLimits): Seen | undefined {
  return seeEntry(path, { limits, now: Date.now(), bytes: { total: 0 } });
}

function captureOne(path: AbsolutePath, seen: Seen | undefined, hasRoom: boolean): readonly Captured[] {
  if (seen === undefined) return [{ path, stored: { kind: 'absent' }, state: { kind: 'absent' } }];
  const state = seenState(seen);
  const { size, mtimeMs, mode } = seen.stats;
  if (state !== undefined) return [{ path, stored: storedState(state, mtimeMs), ...(hasRoom && { state }) }];
  if (seen.kind !== 'file') return [];
  return [{ path, stored: { kind: 'file', size, mode: mode & 0o7777, modified: Math.floor(mtimeMs) } }];
}
