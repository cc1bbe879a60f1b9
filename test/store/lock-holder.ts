import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';

import { bundle } from '../support/bundle.js';
import { tempFolder } from '../support/temp-folder.js';

/** A program of a few lines over our modules, as a file that is gone when the test is over. */
export async function scriptOf(code: string): Promise<string> {
  const file = path.join(tempFolder(), 'script.mjs');
  await bundle({ code }, file);
  return file;
}

/** A process that has the lock of a file and does not let go before the test is over. */
export async function holdLock(file: string): Promise<ChildProcess> {
  const code = `
    const { withFileLock } = await import('./src/store/with-file-lock.ts');
    const [, , file = ''] = process.argv;
    await withFileLock(file, () => new Promise(() => { setInterval(() => {}, 1000); console.log('mine'); }));`;
  const holder = spawn(process.execPath, [await scriptOf(code), file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  return holder;
}

/** The same, killed in the middle of its work. */
export async function leaveLock(file: string): Promise<void> {
  const holder = await holdLock(file);
  holder.kill('SIGKILL');
  await once(holder, 'close');
}
