/** How a child process ended, as data; also when it never started. */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

import { messageOf } from '../core/errors.js';
import type { ProcessExit } from '../core/workspace.js';
import { folderProblem } from './folder-problem.js';
import type { Launch } from './launch.js';

/** Says nothing of output that is still on its way. */
export function childEnd(child: ChildProcess, launch: Launch): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(whyNot(error, launch)));
    child.once('exit', (code, signal) => resolve(exitOf(code, signal)));
  });
}

export async function whyNot(error: unknown, { cwd }: Launch): Promise<ProcessExit> {
  const tooLong = (error as NodeJS.ErrnoException).code === 'E2BIG';
  const reason = tooLong ? 'the command is too long for the system; put the text into a file' : messageOf(error);
  return { kind: 'not_started', reason: (await folderProblem(cwd)) ?? reason };
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): ProcessExit {
  if (code !== null) return { kind: 'exited', code };
  const name = signal ?? 'SIGKILL';
  return { kind: 'signalled', signal: name, number: constants.signals[name] };
}
