import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

import { withFileLock } from '../../src/store/with-file-lock.js';
import { tempFolder } from '../support/temp-folder.js';
import { holdLock, leaveLock, scriptOf } from './lock-holder.js';

const lockedFile = () => path.join(tempFolder(), 'folder/file');
const claims = (file: string) => readdirSync(path.dirname(file)).filter((name) => name.startsWith('.file.claim.'));

test('work is done one at a time, and nothing is left behind', async () => {
  const file = lockedFile();
  mkdirSync(path.dirname(file));
  writeFileSync(file, '0');
  const add = () => withFileLock(file, async () => writeFile(file, String(Number(await readFile(file, 'utf8')) + 1)));
  await Promise.all(Array.from({ length: 20 }, add));
  expect([readFileSync(file, 'utf8'), readdirSync(path.dirname(file))]).toEqual(['20', ['file']]);
});

test('its folder is made, for the user alone', async () => {
  const file = lockedFile();
  expect(await withFileLock(file, async () => statSync(path.dirname(file)).mode & 0o777)).toBe(0o700);
});

test('what the work throws is thrown, and the lock is given back', async () => {
  const file = lockedFile();
  await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(file, async () => claims(file).length)).toBe(1);
});

test('a process that was killed at it holds nobody up', async () => {
  const file = lockedFile();
  await leaveLock(file);
  expect(claims(file)).toHaveLength(1);
  expect(await withFileLock(file, async () => claims(file).length)).toBe(1);
  expect(claims(file)).toEqual([]);
});

test.runIf(process.platform === 'linux')('not even before its parent has heard of it', async () => {
  const file = lockedFile();
  // The shell gives way to a program that never asks how its children ended.
  const code = `
    import { withFileLock } from './src/store/with-file-lock.ts';
    const [, , file = ''] = process.argv;
    await withFileLock(file, async () => { console.log('mine'); process.kill(process.pid, 'SIGKILL'); });`;
  const script = `"$0" "$1" "$2" & exec "$0" -e 'setInterval(() => {}, 1000)'`;
  const parent = spawn('/bin/sh', ['-c', script, process.execPath, await scriptOf(code), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  expect(await withFileLock(file, async () => claims(file).length)).toBe(1);
});

test('a claim from another machine is good for a minute', async () => {
  const file = lockedFile();
  mkdirSync(path.dirname(file));
  const claim = path.join(
    path.dirname(file),
    `.file.claim.${process.pid}.1.not_${hostname().replaceAll(/\W/g, '_')}.0`,
  );
  writeFileSync(claim, '');
  expect(await tryOnce(file)).toBe(TOLD);
  const before = new Date(Date.now() - 120_000);
  utimesSync(claim, before, before);
  expect(await tryOnce(file)).toBe('mine');
});

/** Mounts that nobody else sees. */
const OWN_MOUNTS = ['unshare', '-rm'] as const;
const canMount = spawnSync(OWN_MOUNTS[0], [OWN_MOUNTS[1], 'true']).status === 0;

test.runIf(canMount)('an owner that lives is not gone because /proc hides it', async () => {
  const file = lockedFile();
  const holder = await holdLock(file);
  const hide = `mount --bind ${path.dirname(file)} /proc/${holder.pid} && exec "$0" "$@"`;
  expect(await tryOnce(file, [...OWN_MOUNTS, 'sh', '-c', hide])).toBe(TOLD);
  holder.kill('SIGKILL');
  await once(holder, 'close');
  expect(await tryOnce(file)).toBe('mine');
});

const TOLD = 'another process is changing it; try again when that is done';

/** What another process hears whose clock runs so fast that it does not wait. */
async function tryOnce(file: string, wrapper: readonly string[] = []): Promise<string> {
  const code = `
    const { withFileLock } = await import('./src/store/with-file-lock.ts');
    const [, , file = ''] = process.argv;
    const start = Date.now();
    let looks = 0;
    Date.now = () => start + 16_000 * looks++;
    console.log(await withFileLock(file, async () => 'mine').catch((error) => error.message));`;
  const command = [...wrapper, process.execPath, await scriptOf(code), file];
  const { stdout } = await promisify(execFile)('env', command);
  return stdout.trim();
}
