/** Forgets what is so old, or so much, that nobody will want it back. */
import { stat } from 'node:fs/promises';

import type { EntryStore } from './entry-store.js';

export type KeepLimits = { readonly ms: number; readonly entries: number; readonly bytes: number };

const LIMITS: KeepLimits = { ms: 30 * 24 * 60 * 60_000, entries: 1000, bytes: 512 * 1024 * 1024 };

export async function prune(store: EntryStore, now: number, limits: KeepLimits = LIMITS): Promise<void> {
  let [count, bytes] = [0, 0];
  for (const entry of (await store.list()).toReversed()) {
    if (entry.stage === 'pending') continue;
    const stats = await stat(entry.file).catch(() => undefined);
    if (stats === undefined) continue;
    count++;
    bytes += stats.size;
    const isKept = count <= limits.entries && bytes <= limits.bytes && now - stats.mtimeMs <= limits.ms;
    if (!isKept) await store.forget(entry);
  }
}
