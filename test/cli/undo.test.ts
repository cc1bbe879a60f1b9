import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { callId } from '../../src/core/ids.js';
import type { ChangeLog } from '../../src/core/change-log.js';
import { absolutePath } from '../../src/core/paths.js';
import { localFiles } from '../../src/exec/local-files.js';
import { removeLeftovers } from '../../src/files/temporary-name.js';
import { createChangeLog } from '../../src/undo/create-change-log.js';
import { runCli } from '../support/cli.js';
import type { CliOptions, CliResult } from '../support/cli.js';
import { tempFolder } from '../support/temp-folder.js';

type Place = {
  readonly project: string;
  /** A command that a call of this turn has run. */
  readonly command: (call: string, turn: string, act: (project: string) => void) => Promise<void>;
  /** Runs `tenon undo` in the project; names of folders are shortened in what it says. */
  readonly undo: (args: readonly string[], options?: CliOptions) => Promise<CliResult>;
  readonly read: (name: string) => string;
};

function place(): Place {
  const folder = realpathSync(tempFolder());
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  mkdirSync(project);
  const log: ChangeLog = createChangeLog({
    folder: path.join(home, 'changes'),
    cwd: absolutePath(project),
    files: localFiles,
    removeLeftovers,
  });
  return {
    project,
    command: (call, turn, act) =>
      log.aroundCommand({ callId: callId(call), turn, title: `run ${call}` }, async () => act(project)),
    async undo(args, options = {}) {
      const { code, stdout, stderr } = await runCli(['undo', ...args], { home, cwd: project, ...options });
      return { code, stdout: stdout.replaceAll(project, 'PROJECT'), stderr: stderr.replaceAll(project, 'PROJECT') };
    },
    read: (name) => readFileSync(path.join(project, name), 'utf8'),
  };
}

async function twoTurns(): Promise<Place> {
  const made = place();
  writeFileSync(path.join(made.project, 'a'), 'zero\n');
  await made.command('one', 'first', (project) => writeFileSync(path.join(project, 'a'), 'one\n'));
  await made.command('two', 'second', (project) => writeFileSync(path.join(project, 'a'), 'two\n'));
  await made.command('three', 'second', (project) => {
    writeFileSync(path.join(project, 'new'), 'n\n');
    rmSync(path.join(project, 'a'));
  });
  return made;
}

describe('tenon undo', () => {
  test('takes back the latest call, and says what it did to each file', async () => {
    const { undo, read } = await twoTurns();
    expect(await undo([])).toEqual({
      code: 0,
      stdout: 'Undone: run three (three)\n  put back       a\n  removed        new\n',
      stderr: '',
    });
    expect(read('a')).toBe('two\n');
    expect(await undo(['--redo'])).toMatchObject({
      code: 0,
      stdout: 'Made again: run three (three)\n  removed        a\n  put back       new\n',
    });
  });

  test('takes back a whole turn, the latest or that of a call', async () => {
    const { undo, read } = await twoTurns();
    expect(await undo(['--turn'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Undone: run two (two)') });
    expect(read('a')).toBe('one\n');
    expect(await undo(['one', '--turn'])).toMatchObject({ code: 0 });
    expect(read('a')).toBe('zero\n');
  });

  test('refuses, naming each file, when somebody else has changed one', async () => {
    const { undo, project } = await twoTurns();
    writeFileSync(path.join(project, 'new'), 'by hand');
    expect(await undo([])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: nothing was put back: PROJECT/new is not as the call left it\n',
    });
    expect(await undo(['one'])).toMatchObject({ code: 1, stderr: expect.stringContaining('undo that first') });
  });

  test('says so when there is nothing to undo or redo, or no such call', async () => {
    const { undo } = place();
    expect(await undo([])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: there is nothing to undo in this workspace\n',
    });
    expect(await undo(['--redo'])).toMatchObject({ code: 1, stderr: expect.stringContaining('no undo to take back') });
    expect(await undo(['x'])).toMatchObject({ code: 1, stderr: expect.stringContaining('no change of a call x') });
    expect(await undo(['--list'])).toMatchObject({ code: 0, stdout: 'No changes are on record for this workspace.\n' });
  });

  test('says plainly what is not covered', async () => {
    const { undo, command } = place();
    await command('one', 't', (project) => {
      mkdirSync(path.join(project, 'node_modules'));
      writeFileSync(path.join(project, 'a'), 'a');
    });
    expect(await undo([])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Not covered: run one: changes in node_modules are not kept\n'),
    });
  });

  test('lists what was done, the newest first', async () => {
    const { undo } = await twoTurns();
    await undo([]);
    const { stdout } = await undo(['--list']);
    expect(stdout.replaceAll(/\d{4}-\S*Z/g, 'TIME').replaceAll(/^\w+-\w+-\d+ /gm, 'ID ')).toBe(
      [
        'ID  TIME  undo: run three (undo:three)',
        '  added         a',
        '  deleted       new',
        'ID  TIME  run three (three), undone',
        '  deleted       a',
        '  added         new',
        'ID  TIME  run two (two)',
        '  modified      a',
        'ID  TIME  run one (one)',
        '  modified      a',
        '',
      ].join('\n'),
    );
    const lines = (await undo(['--list', '--json'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { callId: string }).callId)).toEqual([
      'undo:three',
      'three',
      'two',
      'one',
    ]);
  });

  test('shows what would be taken back of the latest call, a call or a turn', async () => {
    const { undo } = await twoTurns();
    const { stdout } = await undo(['--diff']);
    expect(stdout).toContain('--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n');
    expect((await undo(['--diff', '--turn'])).stdout).toContain('--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n');
    expect((await undo(['--diff', 'three'])).stdout).toContain('-two\n');
    expect((await undo(['--diff', '--turn', 'one'])).stdout).toContain('-zero\n');
    expect(JSON.parse((await undo(['--diff', '--json'])).stdout)).toEqual({ text: stdout, leftOut: [] });
    await undo([]);
    expect((await undo(['--diff'])).stdout).toContain('@@ -1 +1 @@\n-one\n+two\n');
  });

  test('answers in JSON', async () => {
    const { undo } = await twoTurns();
    expect(JSON.parse((await undo(['--json'])).stdout)).toMatchObject({
      kind: 'undone',
      entries: [{ callId: 'three' }],
    });
    expect(await undo(['nobody', '--json'])).toMatchObject({ code: 1, stdout: expect.stringContaining('"nothing"') });
  });

  test('works from elsewhere with -C', async () => {
    const { undo, project } = await twoTurns();
    expect(await undo(['-C', project], { cwd: tempFolder() })).toMatchObject({ code: 0 });
    expect(await undo(['-C', '/no/such/folder'])).toMatchObject({ code: 2 });
  });

  test.each([
    ['--list', '--redo'],
    ['--diff', '--list'],
    ['--list', 'call'],
    ['--redo', 'call'],
    ['--redo', '--turn'],
  ])('does not take %s with %s', async (...args) => {
    expect(await place().undo(args)).toMatchObject({ code: 2, stdout: '' });
  });
});
