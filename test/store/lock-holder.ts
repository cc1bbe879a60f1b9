import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');

/** Arguments for Node to run a few lines over our modules. */
export function scriptArguments(code: string, ...values: readonly string[]): readonly string[] {
  return ['--import', 'tsx', '--input-type=module', '-e', code, '--', ...values];
}

/** A process that has the lock of a file and does not let go before the test is over. */
export async function holdLock(file: string): Promise<ChildProcess> {
  const code = `
    const { withFileLock } = await import('./src/store/with-file-lock.ts');
    const [file] = process.argv.slice(1).filter((each) => each !== '--');
    await withFileLock(file, () => new Promise(() => { setInterval(() => {}, 1000); console.log('mine'); }));`;
  const holder = spawn(process.execPath, scriptArguments(code, file), {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
