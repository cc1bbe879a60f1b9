/** Looks until something is so, for as long as it may take on a busy machine. */
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_MS = 10_000;
const PAUSE_MS = 25;

export async function until(isSo: () => boolean, ms = LONGEST_MS): Promise<boolean> {
  const end = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > end) return false;
    await pause(PAUSE_MS);
  }
  return true;
}

/** Processes of the machine with this in their command line. */
export function processesWith(token: string): readonly number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(token))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** One letter, as the kernel says it. */
export function stateOf(pid: number): string | undefined {
  try {
    return /^State:\s+(\w)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
