import { describe, expect, test } from 'vitest';

import { loadPty } from '../../src/exec/load-pty.js';
import { spawnInTerminal } from '../../src/exec/spawn-in-terminal.js';
import type { TerminalLaunch } from '../../src/exec/launch.js';
import { spawnWithPipes } from '../../src/exec/spawn-with-pipes.js';

const env = { PATH: process.env['PATH'] ?? '' };
const deep = process.env['TENON_DEEP'] !== undefined;

function open(script: string, change: Partial<TerminalLaunch> = {}) {
  const chunks: Uint8Array[] = [];
  const started = spawnInTerminal(
    {
      argv: ['/bin/sh', '-c', script],
      cwd: '/',
      env,
      terminal: { columns: 80, rows: 24 },
      onOutput: (chunk) => void chunks.push(chunk),
      ...change,
    },
    loadPty(),
  );
  return { ...started, output: () => Buffer.concat(chunks).toString() };
}

describe('nothing that a program printed is lost', () => {
  test('however soon it ends', { timeout: deep ? 600_000 : 30_000 }, async () => {
    const runs = deep ? 10_000 : 200;
    const wrong: string[] = [];
    for (let run = 0; run < runs; run += 4) {
      const outputs = await Promise.all(
        [0, 1, 2, 3].map(async (index) => {
          const { exit, output } = open(`printf 'run %s\\n' ${run + index}; echo end`);
          return { exit: await exit, output: output(), expected: `run ${run + index}\r\nend\r\n` };
        }),
      );
      for (const { exit, output, expected } of outputs) {
        if (output !== expected || exit.kind !== 'exited') wrong.push(JSON.stringify({ exit, output, expected }));
      }
    }
    expect(wrong).toEqual([]);
  });

  test('however much it is', { timeout: 60_000 }, async () => {
    const lines = deep ? 3_000_000 : 200_000;
    let bytes = 0;
    let last = '';
    const { exit } = open(`seq 1 ${lines}`, {
      onOutput(chunk) {
        bytes += chunk.length;
        last = (last + Buffer.from(chunk).toString()).slice(-20);
      },
    });
    expect(await exit).toEqual({ kind: 'exited', code: 0 });
    const digits = Array.from({ length: 7 }, (_, power) => Math.max(0, lines + 1 - 10 ** power));
    expect(bytes).toBe(digits.reduce((sum, count) => sum + count, 0) + 2 * lines);
    expect(last.endsWith(`${lines}\r\n`)).toBe(true);
  });

  test('also when a child keeps the terminal', async () => {
    const { exit, output } = open('sleep 30 & echo done');
    expect(await exit).toEqual({ kind: 'exited', code: 0 });
    expect(output()).toBe('done\r\n');
  });

  test('and a terminal whose output was stopped holds nobody up for ever', async () => {
    const started = open('stty ixon; printf ready; read line', {
      onOutput: () => void started.write?.(Buffer.from('\u0013')).then(() => started.kill()),
    });
    expect(await started.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
  });
});

test.each([
  ['exit 7', { kind: 'exited', code: 7 }],
  ['kill -9 $$', { kind: 'signalled', signal: 'SIGKILL', number: 9 }],
  ['kill -TERM $$', { kind: 'signalled', signal: 'SIGTERM', number: 15 }],
])('%j ends as it says', async (script, exit) => {
  expect(await open(script).exit).toEqual(exit);
});

test('a terminal of its own, in a session of its own', async () => {
  const { exit, output, pid } = open(`tty; stty size; ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat`);
  await exit;
  expect(output()).toMatch(new RegExp(`^/dev/pts/\\d+\\r\\n24 80\\r\\n *${pid}\\r\\n$`));
});

test('no program gets a hold of another one’s terminal', async () => {
  const others = [open('read line'), open('read line')];
  const inTerminal = open('ls -l /proc/self/fd');
  const chunks: Uint8Array[] = [];
  const withPipes = spawnWithPipes({
    argv: ['/bin/ls', '-l', '/proc/self/fd'],
    cwd: '/',
    env,
    input: 'closed',
    pipe: undefined,
    portion: Buffer.alloc(1024),
    onOutput: (chunk) => void chunks.push(chunk),
  });
  await Promise.all([inTerminal.exit, withPipes.exit]);
  for (const listing of [inTerminal.output(), Buffer.concat(chunks).toString()]) {
    expect(listing).toContain('/proc/');
    expect(listing).not.toContain('ptmx');
  }
  expect(inTerminal.output().match(/\/dev\/pts\/\d+/g)).toHaveLength(3);
  expect(Buffer.concat(chunks).toString()).not.toContain('/dev/pts');
  for (const other of others) other.kill();
  await Promise.all(others.map((other) => other.exit));
});

test('a listener that throws does not stop this process; the reason is told at the end', async () => {
  const { exit } = open('echo hi', {
    onOutput: () => {
      throw new Error('full');
    },
  });
  expect(await exit).toEqual({ kind: 'not_started', reason: 'its output could not be taken: full' });
});

test('variables that a shell could not use reach the program all the same', async () => {
  const odd = { ...env, 'my.var': 'dotted', 'BASH_FUNC_hello%%': '() { echo "hello from a function"; }' };
  const { exit, output } = open('', { argv: ['/bin/bash', '-c', 'hello; env | grep my.var'], env: odd });
  await exit;
  expect(output()).toBe('hello from a function\r\nmy.var=dotted\r\n');
});

test('what is typed after the end is refused', async () => {
  const { exit, write } = open('true');
  await exit;
  await expect(write?.(Buffer.from('x'))).rejects.toThrow('the program has ended');
});
