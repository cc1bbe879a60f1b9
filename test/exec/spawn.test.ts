import { expect, test } from 'vitest';

import { absolutePath } from '../../src/index.js';
import type { Command } from '../../src/index.js';
import { spawnProcess } from '../../src/exec/spawn.js';

const environment = { PATH: process.env['PATH'] ?? '' };

async function run(script: string, change: Partial<Command> = {}) {
  const chunks: Uint8Array[] = [];
  const process = await spawnProcess(
    { argv: ['sh', '-c', script], cwd: absolutePath('/'), onOutput: (chunk) => void chunks.push(chunk), ...change },
    environment,
  );
  return { exit: process.exit, output: () => Buffer.concat(chunks).toString() };
}

/** Keeps the process from reading anything. */
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

test('a callback that throws ends the command, not this process', async () => {
  const { exit } = await run('echo hi; sleep 30', {
    onOutput: () => {
      throw new Error('full');
    },
  });
  expect(await exit).toEqual({ kind: 'not_started', reason: 'its output could not be taken: full' });
});

test('a time limit longer than timers reach is no limit', async () => {
  const { exit } = await run('true', { timeoutMs: 2 ** 40 });
  expect(await exit).toEqual({ kind: 'exited', code: 0 });
});
