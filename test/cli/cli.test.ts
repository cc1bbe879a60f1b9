import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { WIRES, createRuntime, runtimeOptions } from '../../src/index.js';
import { PROGRAM, finished, runCli, startCli } from '../support/cli.js';
import { NOT_HERE } from '../support/commands.js';
import { processGone } from '../support/process-gone.js';
import { tempFolder } from '../support/temp-folder.js';

const FULL = ['-s', 'danger-full-access'];
const NO_SANDBOX = ['-c', `sandbox_policy=${NOT_HERE}`];
const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};

function workspace(files: Readonly<Record<string, string>> = { 'a.txt': 'alpha\nbeta\n' }): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

describe('tenon', () => {
  test.each(['--version', '-V'])('%s prints the version', async (flag) => {
    expect(await runCli([flag])).toEqual({ code: 0, stdout: `tenon ${version}\n`, stderr: '' });
  });

  test('the version is the same whichever part of the program answers', async () => {
    expect((await runCli(['--version', '--version'])).stdout).toBe(`tenon ${version}\n`);
  });

  test('without a command shows the help', async () => {
    const { code, stdout } = await runCli([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: tenon .*Examples:/s);
  });

  test.each([[['--help']], [['tools', '--help']], [['call', '--help']], [['help', 'call']]])(
    '%j shows help with examples',
    async (args) => {
      const { code, stdout, stderr } = await runCli(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/Usage: tenon.*Examples:/s);
    },
  );

  test.each<readonly [readonly string[], RegExp]>([
    [['cal'], /unknown command 'cal'\n\(Did you mean call\?\)/],
    [['tools', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [['call', 'x', '--sandbax', 'y'], /unknown option '--sandbax'\n\(Did you mean --sandbox\?\)/],
    [['tools', '--wire', 'pigeon'], /'pigeon' is invalid\. Allowed choices are responses, chat/],
    [['call'], /missing required argument 'name'/],
    [['call', 'a', 'b', 'c'], /too many arguments/],
    [['call', 'read_file', '{}', '-C', '/no/such/folder'], /--cd \/no\/such\/folder: there is no such folder/],
    [['call', 'read_file', '{}', '-s', 'open'], /unknown variant `open`, expected one of `read-only`/],
    [['call', 'read_file', '{}', '-a', 'maybe'], /unknown variant `maybe`, expected one of `always`/],
    [['call', 'read_file', '{}', '-c', 'model'], /write it as key=value/],
  ])('%j is bad usage', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('a broken configuration file is bad usage, and says where', async () => {
    const home = workspace({ 'config.toml': 'sandbox_mode = \n' });
    const { code, stderr } = await runCli(['tools'], { home });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tenon: .*config\.toml:1:\d+ is not valid TOML: /);
  });
});

const ADVERTISED = [
  'apply_patch',
  'exec_command',
  'grep_files',
  'list_dir',
  'read_file',
  'update_plan',
  'view_image',
  'write_file',
  'write_stdin',
];

describe('tenon tools', () => {
  test('shows names, descriptions and parameters', async () => {
    const { code, stdout } = await runCli(['tools']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^exec_command {2}\(function\)\n {2}\S.*\n {4}cmd\* .*string: /m);
    expect(stdout.match(/^\w+(?= {2}\()/gm)).toEqual(ADVERTISED);
  });

  test.each(['responses', 'chat'])('--wire %s --json is the same to the byte in every run', async (wire) => {
    const first = await runCli(['tools', '--wire', wire, '--json']);
    const second = await runCli(['tools', '--wire', wire, '--json'], { home: tempFolder() });
    expect(second.stdout).toBe(first.stdout);
    const names = (JSON.parse(first.stdout) as Record<string, { name?: string } & string>[]).map(
      (spec) => spec['name'] ?? spec['function']?.name,
    );
    expect(names).toEqual(ADVERTISED);
  });

  test.each(WIRES)(
    'are the same for %s as those of the library, though the build has worked them out',
    async (wire) => {
      const { stdout } = await runCli(['tools', '--wire', wire, '--json'], { home: tempFolder() });
      expect(JSON.parse(stdout)).toEqual(createRuntime(runtimeOptions({})).specs(wire));
    },
  );

  test('follows the configuration', async () => {
    const home = workspace({ 'config.toml': '[tools]\nupdate_plan = false\n' });
    const { stdout } = await runCli(['tools', '-c', 'features.shell_tool=false'], { home });
    expect(stdout.match(/^\w+(?= {2}\()/gm)).toEqual([
      'apply_patch',
      'grep_files',
      'list_dir',
      'read_file',
      'view_image',
      'write_file',
    ]);
  });

  test('stops quietly when nobody reads on', async () => {
    const child = startCli(['tools', '--json']);
    child.stdout.destroy();
    child.stdin.end();
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    await new Promise((resolve) => child.once('close', resolve));
    expect(Buffer.concat(stderr).toString()).toBe('');
  });
});

describe('tenon call', () => {
  test('prints exactly what the model would get', async () => {
    const { code, stdout } = await runCli(['call', 'read_file', '{"path":"a.txt"}'], { cwd: workspace() });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '   1| alpha\n   2| beta' });
  });

  test('takes the arguments from standard input', async () => {
    const { stdout } = await runCli(['call', 'read_file', '-'], {
      cwd: workspace(),
      stdin: '{"path":"a.txt","start_line":2}',
    });
    expect(stdout).toBe('   2| beta');
  });

  test.each([['-C'], ['--cd']])('%s sets the workspace', async (flag) => {
    expect((await runCli(['call', 'read_file', '{"path":"a.txt"}', flag, workspace()])).stdout).toMatch(/alpha/);
  });

  test('--json prints every event as a line', async () => {
    const { code, stdout } = await runCli(['call', 'update_plan', '{"plan":[]}', '--json']);
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { v: number; type: string });
    expect(events.map((event) => [event.v, event.type])).toEqual([
      [1, 'call.started'],
      [1, 'verdict.reached'],
      [1, 'attempt.started'],
      [1, 'plan.updated'],
      [1, 'call.finished'],
    ]);
  });

  test.each<readonly [what: string, args: readonly string[], code: number, stdout: RegExp]>([
    ['success', ['exec_command', '{"cmd":"true"}', ...FULL], 0, /Process exited with code 0/],
    ['a command that fails', ['exec_command', '{"cmd":"exit 3"}', ...FULL], 1, /Process exited with code 3/],
    ['a tool that fails', ['read_file', '{"path":"missing"}'], 1, /^failed to read file: /],
    ['bad arguments', ['read_file', '{"path":'], 1, /^failed to parse function arguments: /],
    ['an unknown tool', ['reed_file', '{}'], 1, /^unsupported call: reed_file\. Did you mean read_file\?$/],
    ['success in the sandbox', ['exec_command', '{"cmd":"true"}'], 0, /Process exited with code 0/],
    ['success where nobody may be asked', ['exec_command', '{"cmd":"true"}', '-a', 'never'], 0, /exited with code 0/],
    ['a refusal of the policy', ['exec_command', '{"cmd":"true"}', ...NO_SANDBOX], 3, /^sandbox could not start: /],
    [
      'a refusal under never',
      ['exec_command', '{"cmd":"true"}', '-a', 'never', ...NO_SANDBOX],
      3,
      /the approval policy is never/,
    ],
    [
      'a question nobody answers',
      ['exec_command', '{"cmd":"touch x"}', ...FULL, '--ask-for-approval', 'always'],
      3,
      /nobody is there to give it/,
    ],
    [
      'a setting by flag',
      ['exec_command', '{"cmd":"true"}', '--config', 'sandbox_mode="danger-full-access"'],
      0,
      /code 0/,
    ],
  ])('%s is told by the exit code', async (_, args, code, stdout) => {
    const result = await runCli(['call', ...args], { cwd: workspace() });
    expect(result.code).toBe(code);
    expect(result.stdout).toMatch(stdout);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s cancels the call, ends what it started, and exits with 130',
    async (signal) => {
      const folder = workspace();
      const child = startCli(
        ['call', 'exec_command', '{"cmd":"echo $$ > pid; echo ready; exec sleep 60","login":false}', '--json', ...FULL],
        { cwd: folder },
      );
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('output.delta')) child.kill(signal);
      });
      const { code, stdout } = await finished(child);
      expect(code).toBe(130);
      expect(stdout).toMatch(/"outcome":"aborted".*aborted by user/);
      await processGone(Number(readFileSync(path.join(folder, 'pid'), 'utf8')));
    },
  );
});

test('when nobody reads on, the command is ended too', async () => {
  const folder = workspace();
  const args = '{"cmd":"echo $$ > pid; yes","login":false}';
  const child = startCli(['call', 'exec_command', args, '--json', ...FULL], { cwd: folder });
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('output.delta')) child.stdout.destroy();
  });
  const stderr: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect({ code, stderr: Buffer.concat(stderr).toString() }).toEqual({ code: 130, stderr: '' });
  await processGone(Number(readFileSync(path.join(folder, 'pid'), 'utf8')));
});

test('a home whose configuration cannot be read is bad usage, it is not skipped', async () => {
  const home = path.join(workspace({ file: '' }), 'file');
  expect(await runCli(['tools'], { home })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/config\.toml cannot be read: ENOTDIR/),
  });
});

test('a program whose words nobody can hear ends all the same', async () => {
  const child = spawn('sh', ['-c', 'exec "$0" "$1" tools > /dev/full 2> /dev/full', process.execPath, PROGRAM]);
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(1);
});
