import { readdirSync, readlinkSync } from 'node:fs';

/**
 * The files and folders that this process has open. Sockets, pipes and terminals are left out: those of an earlier test
 * may still be closing. Elsewhere than on Linux nobody tells what they are, and all are listed by number.
 */
export function openFiles(): readonly string[] {
  if (process.platform !== 'linux') return readdirSync('/dev/fd');
  return readdirSync('/proc/self/fd')
    .map(targetOf)
    .filter((target) => target.startsWith('/') && !target.startsWith('/dev/pt'))
    .toSorted();
}

/** Empty for the descriptor that the list itself was read from. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
