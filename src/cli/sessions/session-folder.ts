/** The folder in which a session goes on: its own, unless `-C` names another. */
import { statSync } from 'node:fs';

import { UsageError } from '../usage-error.js';
import { workspaceFolder } from '../workspace-folder.js';

export function sessionFolder(own: string, cd: string | undefined): string {
  if (cd !== undefined) return workspaceFolder(cd);
  if (statSync(own, { throwIfNoEntry: false })?.isDirectory()) return own;
  throw new UsageError(`the folder of the session, ${own}, is gone: pass the one to go on in with -C`);
}
