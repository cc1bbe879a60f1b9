/** This machine as it is, unconfined: where calls run in full access, and what every sandbox starts from. */
import type { AbsolutePath } from '../core/paths.js';
import type { Workspace } from '../core/workspace.js';
import { commandEnvironment } from './environment.js';
import { localFiles } from './local-files.js';
import { shellCommand } from './shell.js';
import { spawnProcess } from './spawn.js';

export function createLocalWorkspace(cwd: AbsolutePath): Workspace {
  return {
    cwd,
    files: localFiles,
    spawn: (command) => spawnProcess(command, commandEnvironment(process.env)),
    shellCommand,
  };
}
