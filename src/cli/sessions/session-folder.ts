/** The folder in which a session goes on: its own, unless `-C` names another. */
import path from 'node:path';

import { UsageError } from '../usage-error.js';
import { isFolder, workspaceFolder } from '../workspace-folder.js';

export function sessionFolder(own: string, cd: string | undefined): string {
  if (cd !== undefined) return workspaceFolder(cd);
  // A name that depends on where we are is that of another folder each time.
  if (path.isAbsolute(own) && isFolder(own)) return own;
  throw new UsageError(`the folder of the session, ${own}, is gone: pass the one to go on in with -C`);
}
