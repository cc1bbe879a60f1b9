import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { Payload, RuntimeEvent } from '../../src/index.js';
import { commandRuntime } from '../support/commands.js';
import type { CommandRuntime } from '../support/commands.js';
import { functionCall, latch, textOf } from '../support/runtime.js';
import { attemptsIn, sandboxedRuntime } from '../support/sandboxed.js';

const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';
const SECTION = '*** Add File: new.txt\n+hello';
const ADDED = 'Success. Updated the following files:\nA new.txt\n';
const heredoc = (patch: string = PATCH, program = 'apply_patch'): string => `${program} <<'EOF'\n${patch}\nEOF\n`;

/** The answer of each tool to something that printed this and ended so. */
const FORMS = {
  exec_command: (code: number, output: string) =>
    `Chunk ID: X\nWall time: T seconds\nProcess exited with code ${code}\nOriginal token count: ${Math.ceil(output.length / 4)}\nOutput:\n${output}`,
  shell: (code: number, output: string) =>
    `{"output":${JSON.stringify(output)},"metadata":{"exit_code":${code},"duration_seconds":T}}`,
  shell_command: (code: number, output: string) => `Exit code: ${code}\nWall time: T seconds\nOutput:\n${output}`,
};

type Door = readonly [what: string, tool: string, form: keyof typeof FORMS, payload: (script: string) => Payload];

const local = (...argv: readonly string[]): Payload => ({ kind: 'local_shell', argv });

const DOORS: readonly Door[] = [
  ['exec_command', 'exec_command', 'exec_command', (cmd) => functionCall({ cmd })],
  ['shell_command', 'shell_command', 'shell_command', (command) => functionCall({ command })],
  ['shell', 'shell', 'shell', (script) => functionCall({ command: ['bash', '-lc', script] })],
  ['container.exec', 'container.exec', 'shell', (script) => functionCall({ command: ['/bin/sh', '-c', script] })],
  ['a native shell call', 'local_shell', 'shell', (script) => local('bash', '-lc', script)],
  ['a script as the only word', 'shell', 'shell', (script) => functionCall({ command: [script] })],
];

async function answerTo(runtime: CommandRuntime, name: string, payload: Payload): Promise<string> {
  const text = textOf(await runtime.runCall({ id: 'p', name, payload }));
  return text
    .replace(/^Chunk ID: [0-9a-f]{6}\n/, 'Chunk ID: X\n')
    .replace(/Wall time: \d+(?:\.\d+)? seconds/, 'Wall time: T seconds')
    .replace(/"duration_seconds":\d+\.\d/, '"duration_seconds":T');
}

const namesIn = ({ folder }: CommandRuntime): readonly string[] =>
  readdirSync(folder).filter((name) => name !== '.home');

describe('a command that only hands over a patch is answered in the words of its tool', () => {
  test.each(DOORS)('%s', async (_, tool, form, payload) => {
    const runtime = commandRuntime();
    expect(await answerTo(runtime, tool, payload(heredoc()))).toBe(FORMS[form](0, ADDED));
    expect(readFileSync(path.join(runtime.folder, 'new.txt'), 'utf8')).toBe('hello\n');
    expect(runtime.record.of('verdict.reached').map(({ effects }) => effects)).toEqual([
      [{ kind: 'write', path: path.join(runtime.folder, 'new.txt'), diff: SECTION }],
    ]);
    expect(runtime.record.of('files.changed')).toMatchObject([{ callId: 'p', files: [{ change: 'added' }] }]);
  });

  test.each<readonly [what: string, tool: string, payload: Payload]>([
    ['shell', 'shell', functionCall({ command: ['apply_patch', PATCH] })],
    ['under its other name', 'shell', functionCall({ command: ['applypatch', PATCH] })],
    ['a native shell call', 'local_shell', local('apply_patch', PATCH)],
  ])('as the argument of the program: %s', async (_, tool, payload) => {
    const runtime = commandRuntime();
    expect(await answerTo(runtime, tool, payload)).toBe(FORMS.shell(0, ADDED));
    expect(namesIn(runtime)).toEqual(['new.txt']);
  });

  test.each(DOORS)('%s: paths count from its folder, and from where it goes first', async (_, tool, form, payload) => {
    const runtime = commandRuntime();
    mkdirSync(path.join(runtime.folder, 'sub dir'));
    const script = `cd "sub dir" && ${heredoc(PATCH, 'applypatch')}`;
    expect(await answerTo(runtime, tool, payload(script))).toBe(FORMS[form](0, ADDED));
    expect(readdirSync(path.join(runtime.folder, 'sub dir'))).toEqual(['new.txt']);
  });

  test('a working directory counts, and a folder within it', async () => {
    const runtime = commandRuntime();
    mkdirSync(path.join(runtime.folder, 'a/b'), { recursive: true });
    await runtime.call('exec_command', { cmd: `cd b && ${heredoc()}`, workdir: 'a' });
    await runtime.runCall({
      name: 'local_shell',
      payload: { kind: 'local_shell', argv: ['apply_patch', PATCH], cwd: 'a' },
    });
    expect([readdirSync(path.join(runtime.folder, 'a/b')), readdirSync(path.join(runtime.folder, 'a'))]).toEqual([
      ['new.txt'],
      ['b', 'new.txt'],
    ]);
  });

  test.each(DOORS)('%s: what cannot be written fails as a program would', async (_, tool, form, payload) => {
    const runtime = commandRuntime();
    writeFileSync(path.join(runtime.folder, 'file'), '');
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+x\n*** Add File: file/below\n+x\n*** End Patch';
    const alone = await answerTo(runtime, 'apply_patch', { kind: 'custom', input: patch });
    const [failure = ''] = /^Failed to write file \/.*\/file\/below: .*\n$/m.exec(alone) ?? [];
    expect(failure).not.toBe('');
    expect(await answerTo(runtime, tool, payload(heredoc(patch)))).toBe(FORMS[form](1, failure));
    expect(namesIn(runtime)).toEqual(['file']);
  });

  test('a person is shown the patch, not the command', async () => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'untrusted' });
    expect((await runtime.sh(heredoc())).text).toMatch(/^patch rejected by user\. /);
    expect(runtime.questions.map(({ presentation }) => presentation)).toEqual([
      { title: 'Change new.txt', diff: SECTION },
    ]);
  });

  test('rules over files hold', async () => {
    const runtime = sandboxedRuntime({ ruleFile: '[[path]]\nwrite = ["PROJECT/new.txt"]\ndecision = "forbidden"\n' });
    expect((await runtime.sh(heredoc())).text).toMatch(/^`\/.*\/new\.txt` rejected: /);
    expect(readdirSync(runtime.project)).toEqual([]);
  });

  test('a wish to leave the sandbox is kept', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const target = path.join(runtime.userHome, 'new.txt');
    const patch = PATCH.replace('new.txt', target);
    const wish = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
    expect((await runtime.sh(heredoc(patch), wish)).body).toBe(ADDED.replace('new.txt', target));
    expect(runtime.questions).toMatchObject([
      {
        reason: 'the model asks to leave the sandbox and says "May I?"',
        intent: { escalate: { reason: 'May I?' } },
        permission: { confined: false, grants: [] },
      },
    ]);
    expect(attemptsIn(runtime)).toEqual([{ confined: false, grants: [] }]);
    expect(existsSync(target)).toBe(true);
  });

  test('a cancelled one answers as a command does, and writes nothing', async () => {
    const controller = new AbortController();
    const runtime = commandRuntime({ listeners: [({ type }) => type === 'attempt.started' && controller.abort()] });
    const { text } = await runtime.call('exec_command', { cmd: heredoc() }, controller.signal);
    expect(text).toMatch(/^Wall time: \d+\.\d seconds\naborted by user$/);
    expect(namesIn(runtime)).toEqual([]);
  });

  test('the same in the sandbox, where nobody is asked for what is inside', async () => {
    const runtime = sandboxedRuntime();
    expect((await runtime.sh(heredoc())).body).toBe(ADDED);
    expect([runtime.questions, readdirSync(runtime.project)]).toEqual([[], ['new.txt']]);
  });
});

describe('what is wrong with a patch is told, and nothing is run', () => {
  test.each(DOORS)('%s', async (_, tool, __, payload) => {
    const runtime = commandRuntime();
    const script = heredoc('*** Begin Patch\n*** Frobnicate File: x\n*** End Patch');
    expect(await answerTo(runtime, tool, payload(script))).toMatch(
      /^apply_patch verification failed: invalid hunk at line 2, '\*\*\* Frobnicate File: x' is not a valid hunk header\./,
    );
    expect(await answerTo(runtime, tool, payload(heredoc('*** Begin Patch\n*** End Patch')))).toBe(
      'patch rejected: empty patch',
    );
    expect(
      await answerTo(runtime, tool, payload(heredoc(PATCH.replace('Add', 'Delete').replace('\n+hello', '')))),
    ).toBe(
      `apply_patch verification failed: Failed to read ${runtime.folder}/new.txt: No such file or directory (os error 2)`,
    );
    expect([namesIn(runtime), await runtime.processes()]).toEqual([[], []]);
  });

  test.each([
    ...DOORS.map(([what, tool, , payload]) => [what, tool, payload(PATCH)] as const),
    ...DOORS.map(
      ([what, tool, , payload]) => [`${what}, after blank lines`, tool, payload(`\n  \n${PATCH}\n`)] as const,
    ),
  ])('a patch where a command should be: %s', async (_, tool, payload) => {
    const runtime = commandRuntime();
    expect(await answerTo(runtime, tool, payload)).toBe(
      'apply_patch verification failed: patch detected without explicit call to apply_patch. Rerun as ["apply_patch", "<patch>"]',
    );
    expect([namesIn(runtime), runtime.record.of('verdict.reached')]).toEqual([[], []]);
  });
});

describe('whatever does more is run as a command, which finds the program', () => {
  type More = readonly [what: string, mode: 'danger-full-access' | 'workspace-write', script: string, printed: string];
  const MORE: readonly More[] = [
    ['after another command', 'danger-full-access', `echo first; ${heredoc()}`, `first\n${ADDED}`],
    ['after another command', 'workspace-write', `echo first; ${heredoc()}`, `first\n${ADDED}`],
    ['before another', 'workspace-write', `apply_patch <<'EOF' && echo last\n${PATCH}\nEOF\n`, `${ADDED}last\n`],
    ['in a pipe', 'danger-full-access', `applypatch <<'EOF' | cat\n${PATCH}\nEOF\n`, ADDED],
    ['with the patch as its argument', 'workspace-write', `apply_patch '${PATCH}'`, ADDED],
    ['from another program', 'danger-full-access', `printf '%s\\n' '${PATCH}' | applypatch`, ADDED],
  ];
  test.each(MORE)('%s, in %s', async (_, sandboxMode, script, printed) => {
    const runtime = sandboxedRuntime({ sandboxMode });
    const { body, result } = await runtime.sh(script, { login: sandboxMode === 'workspace-write' });
    expect(body).toBe(printed);
    expect(result.answer.success).toBe(true);
    expect(readFileSync(path.join(runtime.project, 'new.txt'), 'utf8')).toBe('hello\n');
    expect(runtime.record.of('verdict.reached')).toMatchObject([{ effects: [{ kind: 'exec' }] }]);
  });

  test('what does not fit is told on its standard error, with exit code 1', async () => {
    const { header, body } = await commandRuntime().call('shell_command', {
      command: `true; ${heredoc('*** Begin Patch\nx\n*** End Patch')}`,
      login: false,
    });
    expect(header).toMatch(/^Exit code: 1\n/);
    expect(body).toMatch(/^Invalid patch hunk on line 2: 'x' is not a valid hunk header\./);
  });

  test('the sandbox holds the program too', async () => {
    const runtime = sandboxedRuntime();
    const target = path.join(runtime.userHome, 'new.txt');
    const { header, body } = await runtime.sh(`true; ${heredoc(PATCH.replace('new.txt', target))}`);
    expect(header).toContain('Process exited with code 1\n');
    expect(body).toMatch(/^Failed to write file .*\/home\/new\.txt/);
    expect(existsSync(target)).toBe(false);
  });

  test('an own program of the user comes first', async () => {
    const runtime = commandRuntime();
    const program = path.join(runtime.folder, 'apply_patch');
    writeFileSync(program, '#!/bin/sh\necho theirs\n', { mode: 0o755 });
    const { body } = await runtime.call('shell_command', { command: `PATH=.:$PATH; ${heredoc()}`, login: false });
    expect(body).toBe('theirs\n');
  });
});

describe('calls beside each other', () => {
  /** Resolves when a call has come so far. */
  function reached(runtime: CommandRuntime, type: RuntimeEvent['type'], id: string): Promise<void> {
    const door = latch();
    runtime.on((event) => event.type === type && 'callId' in event && event.callId === id && door.open());
    return door.opened;
  }

  test.each<readonly [what: string, tool: string, payload: Payload]>([
    ['a handed patch', 'exec_command', functionCall({ cmd: heredoc() })],
    ['a patch by itself', 'apply_patch', { kind: 'custom', input: PATCH }],
  ])('%s waits for what is running', async (_, tool, payload) => {
    const runtime = commandRuntime();
    execFileSync('mkfifo', [path.join(runtime.folder, 'pipe')]);
    const started = reached(runtime, 'attempt.started', 'reader');
    const reader = runtime.runCall({
      id: 'reader',
      name: 'shell_command',
      payload: functionCall({ command: 'cat pipe', login: false }),
    });
    await started;
    const patch = runtime.runCall({ id: 'patch', name: tool, payload });
    // As much as the patch would need, were it not held back.
    await answerTo(commandRuntime(), tool, payload);
    expect(namesIn(runtime)).toEqual(['pipe']);
    // Not without the event loop, which the reader may still need to be started.
    await writeFile(path.join(runtime.folder, 'pipe'), 'x');
    await Promise.all([reader, patch]);
    const order = runtime.record.events.flatMap((event) =>
      event.type === 'call.finished' || event.type === 'verdict.reached' ? [`${event.callId} ${event.type}`] : [],
    );
    expect(order).toEqual([
      'reader verdict.reached',
      'reader call.finished',
      'patch verdict.reached',
      'patch call.finished',
    ]);
  });

  test.each(['shell_command', 'exec_command', 'shell'])('plain commands of %s overlap', async (name) => {
    const runtime = commandRuntime();
    execFileSync('mkfifo', [path.join(runtime.folder, 'pipe')]);
    const argumentsFor = (script: string): object =>
      name === 'shell' ? { command: ['sh', '-c', script] } : { command: script, login: false };
    // Each waits for the other.
    const [read, written] = await Promise.all([
      runtime.call(name, argumentsFor('cat pipe')),
      runtime.call(name, argumentsFor('echo through > pipe')),
    ]);
    expect(read.text).toContain('through');
    expect(written.result.answer.success).toBe(true);
  });
});
