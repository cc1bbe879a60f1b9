import path from 'node:path';
import { expect, test } from 'vitest';

import { createPipeSupply } from '../../src/exec/pipe-supply.js';
import { spawnWithPipes } from '../../src/exec/spawn-with-pipes.js';
import type { PipeLaunch } from '../../src/exec/launch.js';
import { tempFolder } from '../support/temp-folder.js';

const env = { PATH: process.env['PATH'] ?? '' };

async function run(script: string, change: Partial<PipeLaunch> = {}) {
  const chunks: Uint8Array[] = [];
  const launch = {
    argv: ['sh', '-c', script],
    cwd: '/',
    env,
    input: 'closed',
    pipe: undefined,
    portion: Buffer.alloc(1024),
    onOutput: (chunk: Uint8Array) => void chunks.push(chunk),
    ...change,
  } as const;
  const process = spawnWithPipes(launch);
  return { ...process, output: () => Buffer.concat(chunks).toString() };
}

/** Keeps this process from reading anything. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('output is not lost when this process is too busy to read it in time', async () => {
  // The end of `talks` is noticed together with that of `ends`, before its output was looked at; then nothing is read
  // for longer than anybody waits. Whatever the timing, nothing may be missing.
  const busy = {
    onOutput: () => {
      block(500);
      setImmediate(() => block(300));
    },
  };
  const scripts = [run('sleep 0.3; echo busy; sleep 1', busy), run('sleep 0.3'), run('sleep 0.6; echo hello')];
  const [keepsBusy, ends, talks] = await Promise.all(scripts);
  block(450);
  const exits = await Promise.all([keepsBusy?.exit, ends?.exit, talks?.exit]);
  expect(exits).toEqual(exits.map(() => ({ kind: 'exited', code: 0 })));
  expect(talks?.output()).toBe('hello\n');
});

test('what is read into the same memory is the listener’s to keep, unless it is lent', async () => {
  const supply = createPipeSupply(path.join(tempFolder(), 'pipes'));
  const wanted = Array.from({ length: 1_000 }, (_, index) => `${index}\n`).join('');
  const kept = await run('seq 0 999', { pipe: await supply.take() });
  await kept.exit;
  expect(kept.output()).toBe(wanted);
  let taken = '';
  const onOutput = (chunk: Uint8Array): void => void (taken += Buffer.from(chunk).toString());
  await (
    await run('seq 0 999', { pipe: await supply.take(), lendsOutput: true, onOutput })
  ).exit;
  expect(taken).toBe(wanted);
  await supply.close();
});

test('a callback that throws ends the command, not this process', async () => {
  const { exit } = await run('echo hi; sleep 30', {
    onOutput: () => {
      throw new Error('full');
    },
  });
  expect(await exit).toEqual({ kind: 'not_started', reason: 'its output could not be taken: full' });
});

test('a kill reaches the whole group, and what it printed before is there', async () => {
  const started = await run('echo begun; sleep 30 | sleep 30', {
    onOutput: () => started.kill(),
  });
  expect(await started.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
});

test('both streams come in the order they were written when the writer waits in between', async () => {
  const heard: string[] = [];
  const { exit } = await run('echo a; sleep 0.1; echo b >&2; sleep 0.1; echo c', {
    onOutput: (chunk, stream) => void heard.push(`${stream}: ${Buffer.from(chunk).toString()}`),
  });
  await exit;
  expect(heard).toEqual(['stdout: a\n', 'stderr: b\n', 'stdout: c\n']);
});

test('input that is open takes what is typed until the program has gone', async () => {
  const { exit, write, output } = await run('read a; echo "[$a]"', { input: 'open' });
  await write?.(Buffer.from('hello\n'));
  expect(await exit).toEqual({ kind: 'exited', code: 0 });
  expect(output()).toBe('[hello]\n');
  await expect(write?.(Buffer.from('more\n'))).rejects.toThrow('the program no longer reads its input');
});

test.each([
  ['/no/such/folder', /^the working directory \/no\/such\/folder does not exist$/],
  ['/etc/passwd', /^the working directory \/etc\/passwd is not a folder$/],
])('a folder that cannot be worked in is named: %s', async (cwd, reason) => {
  const { exit, pid } = await run('true', { cwd });
  expect(await exit).toEqual({ kind: 'not_started', reason: expect.stringMatching(reason) });
  expect(pid).toBeUndefined();
});

test('a program that is not there is named', async () => {
  const { exit } = await run('', { argv: ['/no/such/program'], cwd: tempFolder() });
  expect(await exit).toEqual({ kind: 'not_started', reason: 'spawn /no/such/program ENOENT' });
});

test('a word that no command line can hold is a reason, not an exception', async () => {
  const { exit } = await run('', { argv: ['echo', 'a\0b'] });
  expect(await exit).toMatchObject({ kind: 'not_started' });
});
