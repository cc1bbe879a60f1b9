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
  const runs = await Promise.all([1, 2, 3, 4].map((each) => run(`sleep 0.${each}; echo ${each}`)));
  const blocking = setInterval(() => block(250), 10);
  const exits = await Promise.all(runs.map((each) => each.exit));
  clearInterval(blocking);
  expect(exits).toEqual(runs.map(() => ({ kind: 'exited', code: 0 })));
  expect(runs.map((each) => each.output())).toEqual(['1\n', '2\n', '3\n', '4\n']);
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
