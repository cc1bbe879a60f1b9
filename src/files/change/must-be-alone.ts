/** Whether another process is about to replace a file: it has made a link of it then, under a name that tells who it is. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { errorCode } from '../../core/file-problem.js';
import { Moved, identityOf, isSame } from '../anchor.js';
import { makerOf } from '../temporary-name.js';

/** Throws `Moved` if so. What a process left that is gone by now does not count. */
export async function mustBeAlone(folder: string, file: Stats): Promise<void> {
  for (const name of await fs.promises.readdir(folder)) {
    const pid = makerOf(name);
    if (pid === undefined || !isRunning(pid)) continue;
    const stats = await fs.promises.lstat(`${folder}/${name}`).catch(() => undefined);
    if (stats !== undefined && isSame(identityOf(stats), identityOf(file))) throw new Moved(name);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
