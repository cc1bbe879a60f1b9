/** Folders for the user alone, made while nothing else can happen. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** Not the recursive `mkdir` of Node 20, which never returns where a folder refuses to be made, such as in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another program that starts at the same time may have been first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
