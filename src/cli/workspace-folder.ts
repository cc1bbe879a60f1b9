/** The folder of `-C`, checked before anything is done with it. */
import { statSync } from 'node:fs';

import { UsageError } from './usage-error.js';

export function workspaceFolder(folder = '.'): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new UsageError(`--cd ${folder}: there is no such folder`);
}
