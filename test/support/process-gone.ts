import { readFileSync } from 'node:fs';

import { until } from './until.js';

/** Resolves when a process has ended; a test that waits for one that lives on runs into its own time limit. */
export async function processGone(pid: number): Promise<void> {
  await until(() => !isAlive(pid));
}

/** A zombie has ended; only its parent has not noticed yet. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
