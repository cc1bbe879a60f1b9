/** Nothing that a confined command starts outlives it, whatever it does and however it ends. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ownedProcesses } from '../../../src/index.js';
import { PROGRAM, withCompiledCode } from '../../support/cli.js';
import { HAS_BUBBLEWRAP } from '../../support/installed.js';
import { endMarked, felled, forest, grown, marked } from '../../support/marked-processes.js';
import { grounds, sandboxedRuntime } from '../../support/sandboxed.js';

describe('in the backend cell everything that was started ends', () => endings('cell'));

describe.skipIf(!HAS_BUBBLEWRAP)('in the backend bubblewrap everything that was started ends', () =>
  endings('bubblewrap'),
);

describe('in the backend landlock everything that was started ends', () => ownEndings('landlock'));

/** A command that ends of its own accord, or because it is told to. */
function ownEndings(backend: 'cell' | 'bubblewrap' | 'landlock'): void {
  test('with its command', async () => {
    const trees = forest();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    const run = runtime.sh(`${trees.script}until [ -e go ]; do sleep 0.02; done; exit 3`);
    await grown(trees);
    writeFileSync(path.join(runtime.project, 'go'), '');
    expect((await run).header).toContain('exited with code 3');
    await felled(trees);
  });

  test('when its session is interrupted', async () => {
    const trees = forest();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    const { session } = await runtime.sh(
      `trap 'exit 9' USR1\n${trees.script}trap 'exit 9' INT\nwhile :; do sleep 0.05; done`,
      {
        tty: true,
        yield_time_ms: 1,
      },
    );
    await grown(trees);
    await runtime.call('write_stdin', { session_id: session, chars: '\u0003' });
    await felled(trees);
  });
}

function endings(backend: 'cell' | 'bubblewrap'): void {
  ownEndings(backend);

  test('when the time of its call is up', async () => {
    const trees = forest();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    const command = ['bash', '-c', `${trees.script}while :; do sleep 1; done`];
    const [{ result }] = await Promise.all([runtime.call('shell', { command, timeout_ms: 2_500 }), grown(trees)]);
    expect(result.outcome).toMatchObject({ kind: 'completed', output: { success: false } });
    await felled(trees);
  });

  test('when its call is cancelled', async () => {
    const trees = forest();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    const controller = new AbortController();
    const command = ['bash', '-c', `${trees.script}while :; do sleep 1; done`];
    const run = runtime.call('shell', { command }, controller.signal);
    await grown(trees);
    controller.abort();
    expect((await run).result.outcome.kind).toBe('aborted');
    await felled(trees);
  });

  test('when its runtime is closed', async () => {
    const trees = forest();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    await runtime.sh(`${trees.script}while :; do sleep 1; done`, { yield_time_ms: 1 });
    await grown(trees);
    await runtime.close();
    await felled(trees);
  });

  test('when the program that holds the runtime is killed', async () => {
    const trees = forest();
    const { project, ownHome } = grounds();
    const library = path.join(import.meta.dirname, '../../../dist/index.js');
    const options = { cwd: project, home: ownHome, sandbox: { backend } };
    const args = {
      cmd: `${trees.script}while :; do sleep 1; done`,
      login: false,
      shell: '/bin/bash',
      yield_time_ms: 30_000,
    };
    const script = `
      import { createRuntime } from ${JSON.stringify(library)};
      const runtime = createRuntime(${JSON.stringify(options)});
      const payload = { kind: 'function', arguments: JSON.stringify(${JSON.stringify(args)}) };
      await runtime.runCall({ name: 'exec_command', payload });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await Promise.race([grown(trees), ended]);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    await felled(trees);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)('when `tenon sandbox` gets %s', async (signal) => {
    const trees = forest();
    const { program, ended, neighbour } = inOwnSession([
      '--backend',
      backend,
      '--',
      'bash',
      '-c',
      `${trees.script}wait`,
    ]);
    await Promise.race([grown(trees), ended]);
    program.kill(signal);
    await ended;
    await felled(trees);
    expect(marked(neighbour)).toHaveLength(1);
  });
}

test('a runtime can be closed again', async () => {
  const runtime = sandboxedRuntime();
  await runtime.sh('true');
  await Promise.all([runtime.close(), runtime.close()]);
  await runtime.close();
});

test('a command that is stopped right at its start leaves nothing', async () => {
  const trees = forest();
  const runtime = sandboxedRuntime();
  await runtime.sh('true');
  await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const controller = new AbortController();
      const run = runtime.call('shell', { command: ['bash', '-c', trees.script] }, controller.signal);
      for (let turn = 0; turn < index * 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await run;
    }),
  );
  await felled(trees);
});

describe('whoever else is in the session of `tenon sandbox` is left alone', () => {
  test.each([
    ['in full access', ['-s', 'danger-full-access']],
    ['in the backend landlock', ['--backend', 'landlock']],
    ['in the backend cell', ['--backend', 'cell']],
  ])('when a command leaves something behind %s', async (_, flags) => {
    const trees = forest();
    const { ended, neighbour } = inOwnSession([...flags, '--', 'bash', '-c', trees.script]);
    expect(await ended).toEqual([0, null]);
    expect(marked(neighbour)).toHaveLength(1);
  });

  test('and not listed as its own', async () => {
    const trees = forest();
    const { program, ended, neighbour } = inOwnSession(['--', 'bash', '-c', `${trees.script}wait`]);
    await Promise.race([grown(trees), ended]);
    expect(ownedProcesses().filter(({ command }) => command.includes(neighbour))).toEqual([]);
    program.kill('SIGTERM');
    await ended;
  });
});

/** `tenon sandbox` in a session with a neighbour that it did not start, as in anybody's terminal. */
function inOwnSession(args: readonly string[]) {
  const { project, ownHome } = grounds();
  const neighbour = `neighbour-${randomUUID()}`;
  const script = `(exec -a ${neighbour} sleep 600) & exec "$@"`;
  const program = spawn('/bin/bash', ['-c', script, 'bash', process.execPath, PROGRAM, 'sandbox', ...args], {
    cwd: project,
    env: { ...process.env, TENON_HOME: withCompiledCode(ownHome) },
    detached: true,
    stdio: 'ignore',
  });
  onTestFinished(() => {
    program.kill('SIGKILL');
    endMarked(neighbour);
  });
  return { program, ended: once(program, 'exit'), neighbour };
}
