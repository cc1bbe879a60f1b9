import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { Payload, Runtime } from '../../src/index.js';
import { commandRuntime } from '../support/commands.js';
import { processGone } from '../support/process-gone.js';
import { textOf } from '../support/runtime.js';

const seconds = String.raw`\d+\.\d`;

async function localShell(runtime: Runtime, payload: Omit<Extract<Payload, { kind: 'local_shell' }>, 'kind'>) {
  return textOf(await runtime.runCall({ name: 'local_shell', payload: { kind: 'local_shell', ...payload } }));
}

describe('shell', () => {
  test.each(['shell', 'container.exec'])('%s answers with JSON', async (name) => {
    const { text, result } = await commandRuntime().call(name, { command: ['printf', '%s|', 'a b', '$HOME', "it's"] });
    expect(text).toMatch(
      new RegExp(
        `^\\{"output":"a b\\|\\$HOME\\|it's\\|","metadata":\\{"exit_code":0,"duration_seconds":${seconds}\\}\\}$`,
      ),
    );
    expect(result.answer.success).toBe(true);
  });

  test('a failure has the same text and is no success', async () => {
    const { text, result } = await commandRuntime().call('shell', { command: ['sh', '-c', 'echo no >&2; exit 9'] });
    expect(JSON.parse(text)).toMatchObject({ output: 'no\n', metadata: { exit_code: 9 } });
    expect(result.answer.success).toBe(false);
  });

  test('a whole number of seconds keeps its decimal', async () => {
    const { text } = await commandRuntime().call('shell', { command: ['true'] });
    expect(text).toMatch(/"duration_seconds":\d+\.\d\}\}$/);
  });

  test('a timeout kills it with all it started, and shows what it printed until then', async () => {
    const runtime = commandRuntime();
    const script =
      'setsid sleep 60 > /dev/null 2>&1 & echo $! > away; sleep 60 & echo $! > child; echo so far; sleep 60';
    const { text, result } = await runtime.call('shell', { command: ['sh', '-c', script], timeout_ms: 1_000 });
    expect(text).toMatch(
      new RegExp(
        `^\\{"output":"command timed out after 1000 milliseconds\\\\nso far\\\\n","metadata":\\{"exit_code":124,"duration_seconds":${seconds}\\}\\}$`,
      ),
    );
    expect(result.answer.success).toBe(false);
    for (const name of ['child', 'away']) {
      await processGone(Number(readFileSync(path.join(runtime.folder, name), 'utf8')));
    }
  });

  test('whoever still holds the output after a kill, and cannot be found, holds nobody up', async () => {
    const runtime = commandRuntime();
    // Longer than a test may take.
    const lost = 'env -i setsid sh -c "echo \\$\\$ > pid; exec sleep 100" & sleep 60';
    const { text } = await runtime.call('shell', { command: ['sh', '-c', lost], timeout_ms: 500 });
    process.kill(Number(readFileSync(path.join(runtime.folder, 'pid'), 'utf8')), 'SIGKILL');
    expect(JSON.parse(text)).toMatchObject({ metadata: { exit_code: 124 } });
  });

  test('a command that has ended by itself did not time out, whatever it left behind', async () => {
    const script = 'sleep 0.45; sleep 5 & exit 0';
    const { text } = await commandRuntime().call('shell', { command: ['sh', '-c', script], timeout_ms: 500 });
    // Either it was stopped before its end, or it has its own exit code; never the one with the other's.
    const { output, metadata } = JSON.parse(text) as { output: string; metadata: { exit_code: number } };
    expect([
      { output: '', code: 0 },
      { output: 'command timed out after 500 milliseconds\n', code: 124 },
    ]).toContainEqual({ output, code: metadata.exit_code });
  });

  test('output that is too long is cut inside of the JSON', async () => {
    const runtime = commandRuntime({ outputBudget: { unit: 'tokens', amount: 10 } });
    const { text } = await runtime.call('shell', { command: ['seq', '1', '1000'] });
    const { output } = JSON.parse(text) as { output: string };
    expect(output).toMatch(
      /^Warning: truncated output \(original token count: 974\)\nTotal output lines: 1000\n\n1\n2\n[\s\S]*…964 tokens truncated…[\s\S]*\n1000\n\[The whole output, 3893 bytes, is in .+\]$/,
    );
  });

  test.each([
    [{ command: [] }, 'command args are empty'],
    [{ command: [''] }, 'command args are empty'],
    [{ command: ['echo', 'a\0b'] }, 'the command contains a NUL character'],
    [{ command: ['/no/such/program'] }, 'shell failed: spawn /no/such/program ENOENT'],
    [{ command: ['pwd'], workdir: 'missing' }, /^shell failed: the working directory .*\/missing does not exist$/],
    [{ command: ['pwd'], timeout_ms: 0 }, /^failed to parse function arguments: .*timeout_ms/],
    [{ command: 'pwd' }, /^failed to parse function arguments: .*command/],
    [{}, /^failed to parse function arguments: missing field `command`/],
  ])('%j is refused in words', async (args, words) => {
    const { text, result } = await commandRuntime().call('shell', args);
    expect(text).toEqual(expect.stringMatching(words));
    expect(result.outcome.kind).toBe('failed');
  });

  test('says what it would run, with the commands of its script when they are plain', async () => {
    const runtime = commandRuntime();
    await runtime.call('shell', { command: ['bash', '-lc', "git status && echo 'a b' | wc -l"] });
    await runtime.call('shell', { command: ['bash', '-lc', 'echo $HOME'] });
    await runtime.call('shell', { command: ['echo', 'x'] });
    const cwd = runtime.folder;
    expect(runtime.record.of('verdict.reached').map(({ effects }) => effects)).toEqual([
      [{ kind: 'exec', argv: ['bash', '-lc', "git status && echo 'a b' | wc -l"], cwd }],
      [{ kind: 'exec', argv: ['bash', '-lc', 'echo $HOME'], cwd }],
      [{ kind: 'exec', argv: ['echo', 'x'], cwd }],
    ]);
  });
});

describe('shell_command', () => {
  test('answers in lines', async () => {
    const { text } = await commandRuntime().call('shell_command', { command: 'echo "$0"; exit 3', login: false });
    expect(text).toMatch(/^Exit code: 3\nWall time: \d+(\.\d)? seconds\nOutput:\n\/.*sh\n$/);
  });

  test('a timeout is told above what it printed', async () => {
    const { text } = await commandRuntime().call('shell_command', {
      command: 'echo on; sleep 60',
      timeout_ms: 500,
      login: false,
    });
    expect(text).toMatch(
      /^Exit code: 124\nWall time: \d+(\.\d)? seconds\nOutput:\ncommand timed out after 500 milliseconds\non\n$/,
    );
  });

  test('output that is too long has its number of lines in the header', async () => {
    const runtime = commandRuntime({ outputBudget: { unit: 'bytes', amount: 40 } });
    const { text } = await runtime.call('shell_command', { command: 'seq 1 1000', login: false });
    expect(text).toMatch(
      /^Exit code: 0\nWall time: .* seconds\nTotal output lines: 1000\nOutput:\n1\n2\n[\s\S]*…3853 chars truncated…[\s\S]*\n1000\n\[The whole output, 3893 bytes, is in .+\]$/,
    );
  });

  test('output cut inside of its only line has no number of lines', async () => {
    const runtime = commandRuntime({ outputBudget: { unit: 'bytes', amount: 40 } });
    const { text } = await runtime.call('shell_command', { command: `printf '%0100d' 0`, login: false });
    expect(text).not.toContain('Total output lines');
  });

  test('runs as a login shell unless told otherwise', async () => {
    const runtime = commandRuntime();
    await runtime.call('shell_command', { command: 'true' });
    await runtime.call('shell_command', { command: 'true', login: false });
    const flags = runtime.record
      .of('verdict.reached')
      .map(({ effects: [effect] }) => (effect?.kind === 'exec' ? effect.argv[1] : undefined));
    expect(flags).toEqual(['-lc', '-c']);
  });

  test('cannot be a login shell where the configuration forbids it', async () => {
    const runtime = commandRuntime({ allowLoginShell: false });
    expect((await runtime.call('shell_command', { command: 'true', login: true })).text).toMatch(
      /^login shell is disabled by config/,
    );
    await runtime.call('shell_command', { command: 'true' });
    expect(runtime.record.of('verdict.reached')).toMatchObject([
      { effects: [{ argv: [expect.any(String), '-c', 'true'] }] },
    ]);
  });
});

describe('local_shell', () => {
  test('a native call runs its words as they are, where and as long as it says', async () => {
    const runtime = commandRuntime();
    expect(await localShell(runtime, { argv: ['printf', '%s|', "it's", '$HOME', 'a b'] })).toMatch(
      /^\{"output":"it's\|\$HOME\|a b\|","metadata":\{"exit_code":0,/,
    );
    expect(JSON.parse(await localShell(runtime, { argv: ['pwd'], cwd: '/' }))).toMatchObject({ output: '/\n' });
    expect(JSON.parse(await localShell(runtime, { argv: ['sleep', '60'], timeoutMs: 300 }))).toMatchObject({
      output: 'command timed out after 300 milliseconds\n',
      metadata: { exit_code: 124 },
    });
  });

  test('a native call without words is refused in words', async () => {
    expect(await localShell(commandRuntime(), { argv: [] })).toBe('command args are empty');
  });

  test('is told to the model as its own kind, and as a function where that is not known', async () => {
    const runtime = commandRuntime({ selection: { shellType: 'local_shell' } });
    const native = runtime.specs('responses').find((spec) => spec['type'] === 'local_shell');
    expect(native).toEqual({ type: 'local_shell' });
    expect(runtime.specs('chat').map((spec) => (spec['function'] as { name: string }).name)).toContain('local_shell');
    expect((await runtime.call('local_shell', { command: ['echo', 'hi'] })).text).toMatch(/^\{"output":"hi\\n"/);
  });
});

test.each([
  ['shell', ['shell']],
  ['local_shell', ['local_shell']],
  ['shell_command', ['shell_command']],
  ['unified_exec', ['exec_command', 'write_stdin']],
  ['disabled', []],
] as const)('the shell type %s tells the model of its tools alone', async (shellType, names) => {
  const runtime = commandRuntime({ selection: { shellType } });
  const shells = new Set(['exec_command', 'local_shell', 'shell', 'shell_command', 'write_stdin']);
  expect(
    runtime
      .offered('responses')
      .map(({ name }) => name)
      .filter((name) => shells.has(name)),
  ).toEqual([...names]);
  const { outcome } = (await runtime.call('shell', { command: ['true'] })).result;
  expect(outcome.kind).toBe(shellType === 'disabled' ? 'failed' : 'completed');
});

test.each([
  ['shell', { command: ['sleep', '60'] }],
  ['shell_command', { command: 'echo; sleep 60', login: false }],
  ['container.exec', { command: ['sleep', '60'] }],
] as const)('a cancelled %s answers as models know it', async (name, args) => {
  const controller = new AbortController();
  const runtime = commandRuntime({
    listeners: [(event) => event.type === 'attempt.started' && setImmediate(() => controller.abort())],
  });
  expect((await runtime.call(name, args, controller.signal)).text).toMatch(
    /^Wall time: \d+\.\d seconds\naborted by user$/,
  );
  expect(await runtime.processes()).toEqual([]);
});
