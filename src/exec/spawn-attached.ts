/** Starts a program on our own input, output and terminal, as a shell would. */
import { spawn } from 'node:child_process';

import { childEnd, whyNot } from './child-end.js';
import type { Launch } from './launch.js';
import { sealedStdio } from './sealed-descriptors.js';
import { notStarted } from './spawn-with-pipes.js';
import type { Started } from './spawn-with-pipes.js';

/** It stays in our process group: only so may it read from the terminal. */
export function spawnAttached(launch: Launch): Started {
  const { argv, cwd, env, descriptors = [] } = launch;
  const [file = '', ...args] = argv;
  try {
    const child = spawn(file, args, { cwd, env, stdio: sealedStdio([0, 1, 2, ...descriptors]) });
    return { pid: child.pid, exit: childEnd(child, launch), kill: () => void child.kill('SIGKILL') };
  } catch (error) {
    return { ...notStarted(''), exit: whyNot(error, launch) };
  }
}
