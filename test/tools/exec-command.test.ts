import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { answerText, createRuntime } from '../../src/index.js';
import type { RuntimeOptions, SandboxSettings } from '../../src/index.js';
import { recordEvents } from '../../src/testing/index.js';
import { NOT_HERE, ONLY_THE_WORKSPACE, commandRuntime } from '../support/commands.js';
import { functionCall } from '../support/runtime.js';
import { processGone } from '../support/process-gone.js';
import { tempFolder } from '../support/temp-folder.js';

/** Runs a real command and takes the answer apart. */
async function run(args: object, options: RuntimeOptions = {}, signal?: AbortSignal) {
  const runtime = commandRuntime(options);
  const told = await runtime.call('exec_command', { login: false, ...args }, signal);
  return { ...told, record: runtime.record, folder: runtime.folder };
}

describe('the answer', () => {
  test('has the five lines models know and then the output', async () => {
    const { text, result } = await run({ cmd: 'echo hello' });
    expect(text).toMatch(
      /^Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\nhello\n$/,
    );
    expect(result.answer.success).toBe(true);
  });

  test.each([
    ['exit 42', 42],
    ['kill -9 $$', 137],
    ['kill -TERM $$', 143],
    ['nosuchcommand_xyz', 127],
  ])('%j ends with code %i, which is no success', async (cmd, code) => {
    const { header, result } = await run({ cmd });
    expect(header).toContain(`Process exited with code ${code}\n`);
    expect(result.answer.success).toBe(false);
    expect(result.outcome.kind).toBe('completed');
  });

  test('holds both streams, in the order in which they were written', async () => {
    const runtime = commandRuntime();
    for (let round = 0; round < 30; round += 1) {
      const { body } = await runtime.call('exec_command', {
        cmd: 'echo 1 >&2; echo 2; echo 3 >&2; echo 4',
        login: false,
      });
      expect(body).toBe('1\n2\n3\n4\n');
    }
  });

  test('holds what is written to the streams by name', async () => {
    expect((await run({ cmd: 'echo 1 > /dev/stderr; echo 2 > /dev/stdout; echo 3 | tee /dev/stderr' })).body).toBe(
      '1\n2\n3\n3\n',
    );
  });

  test('has every byte, also of a character that came in pieces, and marks what is no text', async () => {
    expect((await run({ cmd: String.raw`printf '\360\237'; sleep 0.05; printf '\230\200|\377|'` })).body).toBe(
      '😀|\ufffd|',
    );
  });

  test('of a command that prints much has both ends and a file with everything', async () => {
    const { body, record } = await run({ cmd: 'seq 1 300000', max_output_tokens: 20 });
    expect(body).toMatch(
      /^Warning: truncated output \(original token count: 497224\)\n\.\.\. \d+ bytes omitted \.\.\.\n\n1\n2\n3\n/,
    );
    expect(body).toMatch(/299999\n300000\n\[The whole output, 1988895 bytes, is in .+\]$/);
    const [kept] = record.of('output.kept');
    expect(readFileSync(kept?.path ?? '', 'utf8')).toBe(
      Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join(''),
    );
  });
});

const deep = process.env['TENON_DEEP'] !== undefined;

test('memory does not grow with the output', { timeout: 300_000 }, async () => {
  let peak = 0;
  const runtime = commandRuntime({
    listeners: [() => void (peak = Math.max(peak, process.memoryUsage.rss()))],
  });
  const print = (megabytes: number) => `yes 'a line of output' | head -c ${megabytes}M`;
  await runtime.call('exec_command', { cmd: print(20), login: false });
  const before = peak;
  let told = await runtime.call('exec_command', {
    cmd: print(deep ? 10_000 : 300),
    login: false,
    yield_time_ms: 30_000,
  });
  while (told.session > 0)
    told = await runtime.call('write_stdin', { session_id: told.session, yield_time_ms: 300_000 });
  expect(told.header).toContain('exited with code 0');
  expect(peak - before).toBeLessThan(100 * 1024 * 1024);
});

describe('where and how it runs', () => {
  test('in the workspace, or in workdir below it', async () => {
    const { body, folder } = await run({ cmd: 'pwd -P; mkdir sub' });
    expect(body).toBe(`${folder}\n`);
    expect((await run({ cmd: 'pwd -P', workdir: '/' })).body).toBe('/\n');
  });

  test.each([
    ['missing', 'does not exist'],
    ['/etc/passwd', 'is not a folder'],
  ])('workdir %j is explained', async (workdir, problem) => {
    const { text, result } = await run({ cmd: 'pwd', workdir });
    expect(text).toMatch(new RegExp(`^exec_command failed: the working directory .* ${problem}$`));
    expect(result.outcome.kind).toBe('failed');
  });

  test('with the shell that was asked for, or a reason why not', async () => {
    expect((await run({ cmd: 'echo $0', shell: '/bin/sh' })).body).toBe('/bin/sh\n');
    expect((await run({ cmd: 'echo', shell: '/no/such/shell' })).text).toBe(
      `there is no shell "/no/such/shell" here that scripts can be run with; leave shell out to use ${userInfo().shell}`,
    );
  });

  test('without input: a command that reads gets the end at once', async () => {
    expect((await run({ cmd: 'cat; echo done' })).body).toBe('done\n');
  });

  test('without secrets, pagers and colours of the user', async () => {
    process.env['TENON_TEST_API_KEY'] = 'sesame';
    process.env['TENON_TEST_PLAIN'] = 'visible';
    const { body } = await run({ cmd: 'echo "[$TENON_TEST_API_KEY][$TENON_TEST_PLAIN][$PAGER][$NO_COLOR][$LC_ALL]"' });
    delete process.env['TENON_TEST_API_KEY'];
    delete process.env['TENON_TEST_PLAIN'];
    expect(body).toBe('[][visible][cat][1][C.UTF-8]\n');
  });
});

describe('the end', () => {
  test('a child that is left in the background with the output open does not hold the answer back, and is ended', async () => {
    const { body, folder } = await run({ cmd: 'sleep 30 & echo $! > child; echo early' });
    expect(body).toBe('early\n');
    await processGone(Number(readFileSync(path.join(folder, 'child'), 'utf8')));
  });

  test('cancelling kills it and answers as models know it', async () => {
    const controller = new AbortController();
    const record = recordEvents();
    const cancelOnceItPrints = (event: { type: string }): void => {
      if (event.type === 'output.delta') controller.abort();
    };
    const { text, result } = await run(
      { cmd: 'echo started; exec sleep 30' },
      { listeners: [record.listener, cancelOnceItPrints] },
      controller.signal,
    );
    expect(text).toMatch(/^Wall time: \d+\.\d seconds\naborted by user$/);
    expect(result.outcome).toEqual({ kind: 'aborted', by: 'signal', afterRun: false });
  });
});

test.each([true, false])('what no command line can hold is refused in words, with a terminal: %j', async (tty) => {
  expect((await run({ cmd: 'echo a\0; echo b', tty })).text).toBe('the command contains a NUL character');
  expect((await run({ cmd: `true ${'x'.repeat(200_000)}`, tty })).text).toBe(
    'exec_command failed: the command is too long for the system; put the text into a file',
  );
});

describe('under a policy', () => {
  test('it says what it would run and where', async () => {
    const { record, folder } = await run({ cmd: 'ls', shell: '/bin/sh' });
    expect(record.of('verdict.reached')[0]?.effects).toEqual([
      { kind: 'exec', argv: ['/bin/sh', '-c', 'ls'], cwd: folder },
    ]);
  });

  test('without a sandbox nothing runs, and the reason is said', async () => {
    const { result, text, record, folder } = await run(
      { cmd: 'touch ran' },
      { sandboxMode: 'workspace-write', sandbox: { backend: NOT_HERE } },
    );
    expect(result.outcome).toMatchObject({ kind: 'rejected', by: 'policy' });
    expect(text).toMatch(new RegExp(`^sandbox could not start: ${NOT_HERE}: there is no `));
    expect(record.of('attempt.started')).toEqual([]);
    expect(existsSync(path.join(folder, 'ran'))).toBe(false);
  });

  test('with one it runs though nobody can be asked, and changes the workspace and nothing else', async () => {
    const outside = tempFolder();
    const { header, body, record, folder } = await run(
      { cmd: `echo inside > ran; echo out > ${outside}/ran` },
      { sandboxMode: 'workspace-write', approvalPolicy: 'never', sandbox: ONLY_THE_WORKSPACE },
    );
    expect(header).toContain('Process exited with code 1\n');
    expect(body).toContain(`[tenon: the sandbox blocked: write ${outside}]\n`);
    expect(record.of('approval.requested')).toEqual([]);
    expect(readFileSync(path.join(folder, 'ran'), 'utf8')).toBe('inside\n');
    expect(readdirSync(outside)).toEqual([]);
  });

  describe('a tool whose intent hides a command', () => {
    async function runLiar(cmd: string, sandbox: SandboxSettings) {
      const { tools, folder } = commandRuntime({ sandboxMode: 'workspace-write' });
      const exec = tools.find(({ spec }) => spec.name === 'exec_command');
      const liar = createRuntime({
        cwd: folder,
        home: path.join(folder, '.home'),
        builtinTools: [],
        tools: exec ? [{ ...exec, intent: () => ({ effects: [] }) }] : [],
        sandbox,
      });
      onTestFinished(() => liar.close());
      return {
        folder,
        ...(await liar.runCall({ name: 'exec_command', payload: functionCall({ cmd, login: false }) })),
      };
    }

    test('cannot start it where there is no sandbox', async () => {
      const { outcome, folder } = await runLiar('touch ran', { backend: NOT_HERE });
      expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringMatching(/^sandbox could not start: /) });
      expect(existsSync(path.join(folder, 'ran'))).toBe(false);
    });

    test('starts it inside of the sandbox where there is one', async () => {
      const outside = tempFolder();
      const result = await runLiar(`touch ran; touch ${outside}/ran`, ONLY_THE_WORKSPACE);
      expect(result.outcome.kind).toBe('completed');
      expect(answerText(result.answer)).toMatch(/Process exited with code 1\n/);
      expect(existsSync(path.join(result.folder, 'ran'))).toBe(true);
      expect(readdirSync(outside)).toEqual([]);
    });
  });

  test.each([
    { sandbox_permissions: 'require_escalated', justification: 'May I?' },
    { with_escalated_permissions: true, justification: 'May I?' },
  ])('a request to leave the sandbox carries its reason: %j', async (escalation) => {
    const reasons: string[] = [];
    const { body } = await run(
      { cmd: 'echo free', ...escalation },
      { sandboxMode: 'workspace-write', approver: async ({ reason }) => (reasons.push(reason), { kind: 'once' }) },
    );
    expect({ body, reasons }).toEqual({
      body: 'free\n',
      reasons: ['the model asks to leave the sandbox and says "May I?"'],
    });
  });
});

test('the workspace may be reached through a link', async () => {
  const folder = tempFolder();
  const link = path.join(tempFolder(), 'link');
  symlinkSync(folder, link);
  expect((await run({ cmd: 'pwd -P' }, { cwd: link })).body).toBe(`${folder}\n`);
});
