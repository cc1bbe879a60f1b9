/** The folder of `-C`, checked before anything is done with it. */
import { statSync } from 'node:fs';

import { UsageError } from './usage-error.js';

export function workspaceFolder(folder = '.'): string {
  if (isFolder(folder)) return folder;
  throw new UsageError(`--cd ${folder}: there is no such folder`);
}

/** What cannot be looked at is none, and neither is what can be no path. */
export function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}
