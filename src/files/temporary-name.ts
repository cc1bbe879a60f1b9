/** Names for what is there only while a change is made. They tell whose they are, so that somebody else can clear up. */
import fs from 'node:fs';

import type { AbsolutePath } from '../core/paths.js';
import { removeLockOf } from './folder-lock.js';

/** Not made of the file's name, which may be as long as names can be. Whoever guesses it only has the change fail. */
export function temporaryNames(): () => string {
  const set = process.hrtime.bigint().toString(36);
  let count = 0;
  return () => `.tenon-${process.pid}-${set}-${(count += 1)}.tmp`;
}

/**
 * Clears a folder of what a process left there that was killed in the middle of a change; whoever calls knows that it is
 * dead. Until then, every name has all of its old content or all of its new, never half; of several changes some may be
 * made and others not. Only a name that turns from a file into a folder, or from a folder into something else, may be
 * missing. What is removed here is new content without its name yet, and old content whose name has a new one.
 */
export async function removeLeftovers(folder: AbsolutePath, pid: number): Promise<void> {
  await removeLockOf(folder, pid);
  const names = await fs.promises.readdir(folder);
  const left = names.filter((name) => name.startsWith(`.tenon-${pid}-`) && name.endsWith('.tmp'));
  for (const name of left) {
    const file = `${folder}/${name}`;
    // A folder that was to go is empty, or somebody else has put something there.
    await fs.promises.unlink(file).catch(() => fs.promises.rmdir(file).catch(() => undefined));
  }
}
