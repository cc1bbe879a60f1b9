/** The shells of this machine. */
import os from 'node:os';
import path from 'node:path';

import { ToolFailure } from '../core/errors.js';
import type { Workspace } from '../core/workspace.js';
import { findShell, shellArgv, shellKind, userShell } from '../shell/shells.js';
import type { ShellSearch } from '../shell/shells.js';
import { isExecutable } from './is-executable.js';

export function shellFinder(allowLoginShell: boolean): Workspace['shellCommand'] {
  let usual: string | undefined;
  return (script, { shell, login = allowLoginShell }) => {
    if (login && !allowLoginShell) {
      throw new ToolFailure('login shell is disabled by config; leave login out or set it to false');
    }
    usual ??= usualShell();
    const file = shell === undefined || shell === '' ? usual : findShell(shell, thisMachine());
    if (file === undefined) {
      throw new ToolFailure(
        `there is no shell ${JSON.stringify(shell)} here that scripts can be run with; leave shell out to use ${usual}`,
      );
    }
    return shellArgv(file, shellKind(file) ?? 'sh', script, login);
  };
}

/** The one that runs scripts when nobody names another. */
export function usualShell(): string {
  return userShell(thisMachine());
}

function thisMachine(): ShellSearch {
  return {
    platform: process.platform,
    accountShell: accountShell(),
    isExecutable,
    path: (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== ''),
  };
}

/** The shell of the user's account, not of `$SHELL`, which any parent process may have changed. */
function accountShell(): string | undefined {
  try {
    return os.userInfo().shell ?? undefined;
  } catch {
    // In a container the user may have no account at all.
    return undefined;
  }
}
