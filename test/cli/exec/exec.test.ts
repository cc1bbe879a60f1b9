import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { safeParse } from 'zod/mini';

import { execEventsJsonSchema } from '../../../scripts/exec-events-schema.js';
import type { ExecEvent } from '../../../src/cli/exec/exec-event.js';
import { execEventSchema } from '../../../src/cli/exec/exec-event-schema.js';
import type { ModelScript, ScriptedModel } from '../../../src/testing/index.js';
import { PROGRAM, finished, runCli, startCli } from '../../support/cli.js';
import type { CliResult } from '../../support/cli.js';
import { scriptedModel } from '../../support/model-server.js';
import { processGone } from '../../support/process-gone.js';
import { tempFolder } from '../../support/temp-folder.js';

const FULL = ['-s', 'danger-full-access'];
const ONLY_THE_WORKSPACE = ['exclude_slash_tmp', 'exclude_tmpdir_env_var'].flatMap((key) => [
  '-c',
  `sandbox_workspace_write.${key}=true`,
]);
const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Stand = { readonly home: string; readonly cwd: string; readonly model: ScriptedModel };

/** A home whose model is a script, and a workspace with one file. */
async function stand(script: ModelScript, settings = ''): Promise<Stand> {
  const [model, home, cwd] = [await scriptedModel(script), tempFolder(), tempFolder()];
  const config = `
model = "scripted-model"
model_provider = "scripted"
${settings}
[model_providers.scripted]
base_url = "${model.baseUrl}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`;
  writeFileSync(path.join(home, 'config.toml'), config);
  writeFileSync(path.join(cwd, 'a.txt'), 'alpha\n');
  return { home, cwd, model };
}

const KEY = { SCRIPTED_KEY: 'sk-of-the-test' };

function exec({ home, cwd }: Stand, args: readonly string[], stdin = ''): Promise<CliResult> {
  return runCli(['exec', ...args], { home, cwd, stdin, env: KEY });
}

function linesOf(stdout: string): readonly ExecEvent[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ExecEvent);
}

function command(
  cmd: string,
  callId: string,
): { name: string; arguments: { cmd: string; login: boolean }; callId: string } {
  return { name: 'exec_command', arguments: { cmd, login: false }, callId };
}

/** What a line is about, without what differs from run to run. */
function inShort(line: ExecEvent): readonly unknown[] {
  if (!('item' in line)) return [line.type, ...(line.type === 'error' ? [line.kind, line.retry] : [])];
  const { item } = line;
  const call = 'call' in item ? [item.call] : [];
  return [line.type, item.type, ...call, ...('status' in item ? [item.status] : [])];
}

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-alpha\n+beta\n*** End Patch';

test('the answer goes to standard output alone, and what led to it to standard error', async () => {
  const at = await stand([
    { reasoning: 'Look first.', text: 'I look.', calls: [command('cat a.txt; exit 3', 'c1')] },
    { calls: [{ name: 'apply_patch', arguments: { input: PATCH }, callId: 'c2' }] },
    { text: 'Done.' },
  ]);
  const { code, stdout, stderr } = await exec(
    at,
    ['change it', '-o', 'answer.txt', '--ephemeral', '--skip-git-repo-check', ...FULL],
    'piped\n',
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
  expect(
    stderr
      .replaceAll(at.cwd, 'CWD')
      .replace(/session id: \S+/, 'session id: ID')
      .replace(/exited 3 in \S+:/, 'exited 3 in 1ms:'),
  ).toMatch(
    new RegExp(
      [
        '^tenon: reading what belongs to the prompt on standard input',
        String.raw`tenon \S+`,
        '--------',
        'workdir: CWD',
        'model: scripted-model',
        'provider: scripted',
        'approval: never',
        'sandbox: danger-full-access',
        'session id: ID',
        '--------',
        'thinking',
        String.raw`  Look first\.`,
        'tenon',
        String.raw`  I look\.`,
        String.raw`exec \S*sh -c 'cat a\.txt; exit 3' in CWD`,
        '  exited 3 in 1ms:',
        '  alpha',
        'changed',
        '  M CWD/a.txt',
        '  diff --git a/a.txt b/a.txt',
        '[^]*  -alpha',
        String.raw`  \+beta`,
        String.raw`tokens used: 330 \(300 in, 30 out\)`,
        '$',
      ].join('\n'),
    ),
  );
  expect(readFileSync(path.join(at.cwd, 'answer.txt'), 'utf8')).toBe('Done.');
  expect(readFileSync(path.join(at.cwd, 'a.txt'), 'utf8')).toBe('beta\n');
  const [first] = at.model.requests;
  expect(first?.headers['authorization']).toBe('Bearer sk-of-the-test');
  expect(JSON.stringify(first?.body['input'])).toContain(String.raw`"change it\n\n<stdin>\npiped\n</stdin>"`);
  expect(stderr).not.toContain('sk-of-the-test');
});

test('--json tells everything: retries, refusals, denials, files, plans, usage; and each line fits the schema', async () => {
  const added = tempFolder();
  const at = await stand([
    {
      calls: [command(`echo hi > made && touch ${added}/y`, 'c1')],
      fault: { kind: 'status', status: 503, retryAfter: 0 },
    },
    { calls: [command('git push', 'c2'), command(`touch ${tempFolder()}/outside`, 'c3')] },
    { calls: [{ name: 'update_plan', arguments: { plan: [{ step: 'one', status: 'completed' }] }, callId: 'c4' }] },
    { calls: [{ name: 'read_file', arguments: { path: 'missing' }, callId: 'c5' }] },
    { text: 'Done.', usage: { input: 7, output: 2 } },
  ]);
  mkdirSync(path.join(at.home, 'rules'));
  writeFileSync(
    path.join(at.home, 'rules', 'own.toml'),
    '[[command]]\npattern = ["git", "push"]\ndecision = "forbidden"\njustification = "not from here"\n',
  );
  const { code, stdout, stderr } = await exec(at, ['--json', '-', '--add-dir', added, ...ONLY_THE_WORKSPACE], 'go on');
  expect(code).toBe(0);
  expect(stderr).toBe('tenon: reading the prompt on standard input\n');
  const lines = linesOf(stdout);
  expect(lines.flatMap((line) => safeParse(execEventSchema, line).error?.issues ?? [])).toEqual([]);
  expect(lines.slice(0, 2)).toEqual([
    {
      type: 'thread.started',
      v: 1,
      thread_id: expect.any(String),
      cwd: at.cwd,
      model: 'scripted-model',
      provider: 'scripted',
      approval_policy: 'never',
      sandbox_mode: 'workspace-write',
    },
    { type: 'turn.started', turn_id: expect.any(String) },
  ]);
  const told = lines.slice(2, -1).map(inShort);
  // The two calls of the second response run side by side.
  const besides = (call: string): readonly unknown[] => told.filter((line) => line.includes(call));
  expect(told.filter((line) => !line.includes('c2') && !line.includes('c3'))).toEqual([
    ['error', 'server', 1],
    ['item.started', 'command_execution', 'c1', 'in_progress'],
    ['item.completed', 'file_change', 'c1', 'completed'],
    ['item.completed', 'command_execution', 'c1', 'completed'],
    ['item.started', 'todo_list'],
    ['item.started', 'tool_call', 'c5', 'in_progress'],
    ['item.completed', 'tool_call', 'c5', 'failed'],
    ['item.completed', 'agent_message'],
    ['item.completed', 'todo_list'],
  ]);
  expect(besides('c2')).toEqual([['item.completed', 'refusal', 'c2']]);
  expect(besides('c3')).toEqual([
    ['item.started', 'command_execution', 'c3', 'in_progress'],
    ['item.completed', 'denial', 'c3'],
    ['item.completed', 'command_execution', 'c3', 'failed'],
  ]);
  const usage = { cached_input_tokens: 0, cache_write_input_tokens: 0, reasoning_output_tokens: 0 };
  const all = { ...usage, input_tokens: 407, output_tokens: 42 };
  expect(lines.at(-1)).toEqual({ type: 'turn.completed', usage: all, turn_usage: all, requests: 6 });
  expect(stdout).toContain('not from here');
});

test('images come before the prompt, and a schema for the answer is sent along', async () => {
  const at = await stand([{ text: '{"n":1}' }]);
  const image = path.join(at.cwd, 'a,b.png');
  writeFileSync(image, Buffer.from(ONE_PIXEL, 'base64'));
  const schema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  };
  writeFileSync(path.join(at.cwd, 's.json'), JSON.stringify(schema));
  const anyway = ['-m', 'gpt-oss:20b', '-c', 'model_families."gpt-oss:20b".supports_images=true'];
  const { code, stdout } = await exec(at, ['what?', '-i', 'a,b.png', '--output-schema', 's.json', ...anyway]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"n":1}\n' });
  const body = at.model.requests[0]?.body as { input: { content: unknown }[]; text: unknown };
  expect(body.input.at(-1)?.content).toEqual([
    { type: 'input_text', text: `<image name=[Image #1] path="${image}">` },
    expect.objectContaining({ type: 'input_image', image_url: `data:image/png;base64,${ONE_PIXEL}` }),
    { type: 'input_text', text: '</image>' },
    { type: 'input_text', text: 'what?' },
  ]);
  expect(body.text).toMatchObject({
    format: { type: 'json_schema', name: 'tenon_output_schema', strict: true, schema },
  });
});

test('a word that is a command is a prompt on standard input, and flags of scripts are taken', async () => {
  const at = await stand([{ text: 'Resumed.' }]);
  const flags = ['--skip-git-repo-check', '--dangerously-bypass-hook-trust', '--thread-source', 'ci', '--ephemeral'];
  const { code, stdout } = await exec(at, ['-', ...flags, '--cyber-access-program', 'none'], 'resume');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Resumed.\n' });
});

test('a turn that fails says why, leaves an empty answer, and exits with 1', async () => {
  const at = await stand([{ fault: { kind: 'status', status: 401, body: { error: { message: 'who are you?' } } } }]);
  const { code, stdout, stderr } = await exec(at, ['hello', '-o', 'answer.txt']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^failed: .*who are you\?/m);
  expect(readFileSync(path.join(at.cwd, 'answer.txt'), 'utf8')).toBe('');
});

describe('a turn that is ended from outside', () => {
  const running = [{ calls: [command('echo $$ > pid; echo ready; exec sleep 60', 'c1')] }, { text: 'never' }];

  async function startAndWait(at: Stand): Promise<ReturnType<typeof startCli>> {
    const child = startCli(['exec', '--json', 'run it', ...FULL], { home: at.home, cwd: at.cwd, env: KEY });
    child.stdin.end();
    return child;
  }

  test('by a signal reports what it did, ends what it started, and exits with 130', async () => {
    const at = await stand(running);
    const child = await startAndWait(at);
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('item.started')) child.kill('SIGINT');
    });
    const { code, stdout } = await finished(child);
    const lines = linesOf(stdout);
    expect(code).toBe(130);
    expect(lines.slice(-2)).toEqual([
      {
        type: 'item.completed',
        item: expect.objectContaining({ type: 'command_execution', call: 'c1', status: 'failed' }),
      },
      expect.objectContaining({ type: 'turn.failed', error: expect.objectContaining({ kind: 'interrupted' }) }),
    ]);
  });

  test('because nobody reads on, ends what it started', async () => {
    const at = await stand(running);
    const child = await startAndWait(at);
    child.stdout.once('data', () => child.stdout.destroy());
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    expect({ code, stderr: Buffer.concat(stderr).toString() }).toEqual({
      code: 130,
      stderr: 'tenon: reading what belongs to the prompt on standard input\n',
    });
  });
});

test('a command that runs on ends with the program', async () => {
  const running = 'echo $$ > pid; echo up; exec sleep 60';
  const at = await stand([
    { calls: [{ name: 'exec_command', arguments: { cmd: running, login: false, yield_time_ms: 250 }, callId: 'c1' }] },
    { text: 'It runs.' },
  ]);
  const { code, stdout, stderr } = await exec(at, ['start it', ...FULL]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'It runs.\n' });
  expect(stderr).toContain('  still runs, and ends with this program:\n  up\n');
  await processGone(Number(readFileSync(path.join(at.cwd, 'pid'), 'utf8')));
});

describe('who is asked', () => {
  /** What became of a command that the policy would ask about, and whether the model was told that nobody can be. */
  async function asked(args: readonly string[]): Promise<readonly [items: readonly string[], told: boolean]> {
    const at = await stand([{ calls: [command('touch new', 'c1')] }, { text: 'Done.' }]);
    const { stdout } = await exec(at, ['--json', 'go', ...args]);
    const items = linesOf(stdout).flatMap((line) => (line.type === 'item.completed' ? [line.item.type] : []));
    return [items, at.model.requests[0]?.bodyText.includes('Approval policy: `never`') ?? false];
  }

  test('nobody, whatever the policy', async () => {
    expect(await Promise.all([asked(['-a', 'on-request']), asked(['-a', 'untrusted']), asked(['--yolo'])])).toEqual([
      [['file_change', 'command_execution', 'agent_message'], true],
      [['refusal', 'agent_message'], false],
      [['file_change', 'command_execution', 'agent_message'], true],
    ]);
  });
});

test('what is wrong is told before the model is asked, with exit code 2', async () => {
  const at = await stand([]);
  writeFileSync(path.join(at.cwd, 'bad.json'), '{"type": "strin"}');
  const rows: readonly (readonly [args: readonly string[], message: RegExp, env?: Record<string, string>])[] = [
    [[], /standard input has no prompt/],
    [['x', '-i', 'a.txt'], /--image a\.txt: unable to process image/],
    [['x', '--output-schema', 'bad.json'], /--output-schema bad\.json: #\/type should be one of string/],
    [['x', '-o', 'none/answer'], /--output-last-message none\/answer cannot be written: there is no folder/],
    [['x', '--add-dir', 'none'], /--add-dir none: there is no such folder/],
    [['x', '-c', 'model_provider=nobody'], /nobody/],
    [['x', '--yolo', '--full-auto'], /cannot be used with option/],
    [['x', '-m', 'gpt-oss:20b', '-i', 'a.png'], /--image: gpt-oss:20b takes no images.*supports_images=true/],
    [['--json', 'review', '--base', 'main'], /there is no `tenon exec review` yet\. .*echo review \| tenon exec -/],
    [['x'], /SCRIPTED_KEY/, {}],
  ];
  const { home, cwd } = at;
  const results = await Promise.all(rows.map(([args, , env = KEY]) => runCli(['e', ...args], { home, cwd, env })));
  expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual(rows.map(() => ({ code: 2, stdout: '' })));
  for (const [index, [, message]] of rows.entries()) expect(results[index]?.stderr).toMatch(message);
  expect(at.model.requests).toEqual([]);
});

test('at a terminal a person is asked, if they have said so', async () => {
  const at = await stand([{ calls: [command('touch new', 'c1')] }, { text: 'Done.\u001b[31m' }]);
  const run = `exec "${process.execPath}" "${PROGRAM}" exec 'go' -a untrusted --cd "${at.cwd}"`;
  const child = spawn('script', ['-qec', run, '/dev/null'], {
    env: { ...process.env, ...KEY, TENON_HOME: at.home, NO_COLOR: '1' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let answered = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (!answered && chunk.includes('[a]bort: ')) answered = child.stdin.write('y\r');
  });
  const { code, stdout } = await finished(child);
  expect({ code, answered }).toEqual({ code: 0, answered: true });
  const screen = stdout.replaceAll('\r', '');
  expect(screen).toMatch(/approval: untrusted\n[^]*\n {2}exited 0 in \S+\n[^]*\nDone\.\\u\{1b\}\[31m\n$/);
});

test('the published schema is the one in the source', () => {
  const file = path.join(import.meta.dirname, '../../../docs/exec-events.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(execEventsJsonSchema());
});
