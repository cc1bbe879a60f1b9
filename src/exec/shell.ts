/** Which shell runs a script, and how it is told to. */
import os from 'node:os';
import path from 'node:path';

import type { ShellOptions } from '../core/workspace.js';

const FALLBACK_SHELL = '/bin/sh';
const POSIX_SHELLS = new Set(['bash', 'zsh', 'sh', 'dash', 'ksh']);

export function shellCommand(script: string, { shell, login }: ShellOptions): readonly string[] {
  return [shell ?? userShell(), login ? '-lc' : '-c', script];
}

/** The shell of the user's account, not of `$SHELL`, which any parent process may have changed. */
function userShell(): string {
  const shell = accountShell();
  return shell !== null && POSIX_SHELLS.has(path.basename(shell)) ? shell : FALLBACK_SHELL;
}

/** In a container the user may have no account at all. */
function accountShell(): string | null {
  try {
    return os.userInfo().shell;
  } catch {
    return null;
  }
}
