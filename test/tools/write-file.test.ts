import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../src/core/paths.js';
import { createLocalWorkspace } from '../../src/exec/local-workspace.js';
import { commandRuntime } from '../support/commands.js';
import type { CommandRuntime } from '../support/commands.js';
import { textOf } from '../support/runtime.js';
import { attemptsIn, sandboxedRuntime } from '../support/sandboxed.js';
import { tempFolder } from '../support/temp-folder.js';

/** A folder with a file in it, and everything that is there as one object. */
function ground(runtime: CommandRuntime = commandRuntime()) {
  const at = (name: string): string => path.join(runtime.folder, name);
  writeFileSync(at('a.txt'), 'one\n');
  return {
    runtime,
    at,
    read: (name: string): string => readFileSync(at(name), 'utf8'),
    write: async (name: string, content: string): Promise<string> =>
      (await runtime.call('write_file', { path: name, content })).text,
    all: (): object => contents(runtime.folder),
  };
}

function contents(folder: string): object {
  const entries = readdirSync(folder).filter((name) => name !== '.home');
  return Object.fromEntries(
    entries.map((name) => {
      const file = path.join(folder, name);
      const kind = lstatSync(file);
      return [name, kind.isDirectory() ? contents(file) : kind.isSymbolicLink() ? 'link' : readFileSync(file, 'utf8')];
    }),
  );
}

describe('a file is written whole', () => {
  test.each<readonly [what: string, written: readonly [string, string], answer: string, after: object]>([
    ['a new one', ['b.txt', 'two\n'], 'Wrote b.txt: 4 bytes, a new file.', { 'a.txt': 'one\n', 'b.txt': 'two\n' }],
    ['one byte', ['b', 'x'], 'Wrote b: 1 byte, a new file.', { 'a.txt': 'one\n', b: 'x' }],
    ['an empty one', ['b', ''], 'Wrote b: 0 bytes, a new file.', { 'a.txt': 'one\n', b: '' }],
    ['in place of another', ['a.txt', 'dřívější'], 'Wrote a.txt: 13 bytes, in place of 4.', { 'a.txt': 'dřívější' }],
    [
      'in new folders',
      ['d/e/f', 'x\n'],
      'Wrote d/e/f: 2 bytes, a new file.',
      { 'a.txt': 'one\n', d: { e: { f: 'x\n' } } },
    ],
    ['as it is', ['b', '\u{feff}a\r\nb'], 'Wrote b: 7 bytes, a new file.', { 'a.txt': 'one\n', b: '\u{feff}a\r\nb' }],
  ])('%s, and taken back', async (_, [name, content], answer, after) => {
    const { runtime, at, write, all } = ground();
    expect(await write(name, content)).toBe(answer);
    expect(all()).toEqual(after);
    expect(runtime.record.of('files.changed')).toMatchObject([
      {
        files: expect.arrayContaining([{ path: at(name), change: name === 'a.txt' ? 'modified' : 'added' }]),
        diff: expect.stringMatching(/^diff --git /),
      },
    ]);
    expect((await runtime.undo()).kind).toBe('undone');
    expect(all()).toEqual({ 'a.txt': 'one\n' });
  });

  test('what it holds already is not written, and there is nothing to take back', async () => {
    const { runtime, write, all } = ground();
    expect(await write('a.txt', 'one\n')).toBe('a.txt holds exactly that already.');
    expect(runtime.record.of('files.changed')).toEqual([]);
    expect((await runtime.undo()).kind).toBe('nothing');
    expect(all()).toEqual({ 'a.txt': 'one\n' });
  });

  test('through a link, which stays one', async () => {
    const { runtime, at, read, write } = ground();
    symlinkSync('a.txt', at('link'));
    expect(await write('link', 'two\n')).toBe('Wrote link: 4 bytes, in place of 4.');
    expect([read('a.txt'), lstatSync(at('link')).isSymbolicLink()]).toEqual(['two\n', true]);
    expect((await runtime.undo()).kind).toBe('undone');
    expect([read('a.txt'), lstatSync(at('link')).isSymbolicLink()]).toEqual(['one\n', true]);
  });

  test('in place of a link that leads nowhere', async () => {
    const { runtime, at, write, all } = ground();
    symlinkSync('nowhere', at('link'));
    expect(await write('link', 'x')).toBe('Wrote link: 1 byte, in place of a link that led nowhere.');
    expect(all()).toEqual({ 'a.txt': 'one\n', link: 'x' });
    expect((await runtime.undo()).kind).toBe('undone');
    expect(all()).toEqual({ 'a.txt': 'one\n', link: 'link' });
  });

  test('a megabyte', async () => {
    const { runtime, read, write, all } = ground();
    const content = 'péče\n'.repeat(150_000);
    expect(await write('big', content)).toBe('Wrote big: 1050000 bytes, a new file.');
    expect(read('big') === content).toBe(true);
    const [changed] = runtime.record.of('files.changed');
    expect([changed?.files.length, changed?.diff]).toEqual([1, undefined]);
    await runtime.undo();
    expect(all()).toEqual({ 'a.txt': 'one\n' });
  });

  test('a file keeps its mode', async () => {
    const { at, write } = ground();
    chmodSync(at('a.txt'), 0o750);
    await write('a.txt', 'two\n');
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o750);
  });

  test.each([
    { file_path: 'b', content: 'x' },
    { path: 'b', text: 'x' },
    { path: 'b', contents: 'x' },
  ])('%j is understood', async (args) => {
    const { runtime, all } = ground();
    expect((await runtime.call('write_file', args)).text).toBe('Wrote b: 1 byte, a new file.');
    expect(all()).toEqual({ 'a.txt': 'one\n', b: 'x' });
  });

  test('arguments that came as free text', async () => {
    const { runtime } = ground();
    const payload = { kind: 'custom', input: JSON.stringify({ path: 'b', content: 'x' }) } as const;
    expect(textOf(await runtime.runCall({ name: 'write_file', payload }))).toBe('Wrote b: 1 byte, a new file.');
  });
});

describe('what cannot be written is told, and nothing is changed', () => {
  test.each<readonly [what: string, name: string, words: string]>([
    ['a folder', 'dir', 'failed to write file: FOLDER/dir: it is a folder, not a file'],
    ['no name', '', 'the path is empty; give a path relative to the workspace or absolute'],
    ['a NUL in the name', 'b\0c', 'the path contains a NUL character'],
    ['a link to a folder', 'to-dir', 'failed to write file: FOLDER/to-dir: it is a folder, not a file'],
    ['a pipe', 'pipe', 'failed to write file: FOLDER/pipe: it is not a regular file (a device, pipe or socket)'],
  ])('%s', async (_, name, words) => {
    const { runtime, at, write, read } = ground();
    mkdirSync(at('dir'));
    symlinkSync('dir', at('to-dir'));
    await runtime.call('shell', { command: ['mkfifo', 'pipe'] });
    expect(await write(name, 'x')).toBe(words.replace('FOLDER', runtime.folder));
    expect([readdirSync(at('dir')), read('a.txt')]).toEqual([[], 'one\n']);
  });

  test('a file where a folder should be', async () => {
    const { write, all } = ground();
    expect(await write('a.txt/b', 'x')).toMatch(/^failed to write file: \/.*\/a\.txt\/b: /);
    expect(all()).toEqual({ 'a.txt': 'one\n' });
  });

  test('what somebody else has changed meanwhile', async () => {
    const folder = tempFolder();
    const workspace = createLocalWorkspace(absolutePath(folder));
    const files = {
      ...workspace.files,
      async change(...[changes]: Parameters<typeof workspace.files.change>) {
        writeFileSync(path.join(folder, 'a.txt'), 'theirs\n');
        await workspace.files.change(changes);
      },
    };
    const { write, all, at } = ground({ ...commandRuntime({ workspace: { ...workspace, files } }), folder });
    expect(await write('a.txt', 'mine\n')).toBe(
      `failed to write file: ${at('a.txt')}: somebody else has changed it meanwhile; nothing was written, read it again`,
    );
    expect(all()).toEqual({ 'a.txt': 'theirs\n' });
  });

  test.each<readonly [args: object, words: RegExp]>([
    [{ path: 'b' }, /^failed to parse function arguments: missing field `content`/],
    [{ content: 'x' }, /^failed to parse function arguments: missing field `path`/],
    [{ path: 'b', content: ['x'] }, /^failed to parse function arguments: invalid type: .*`content`/],
  ])('%j', async (args, words) => {
    const { runtime, all } = ground();
    expect((await runtime.call('write_file', args)).text).toMatch(words);
    expect(all()).toEqual({ 'a.txt': 'one\n' });
  });
});

describe('where writing is not free', () => {
  test('inside of the project nobody is asked', async () => {
    const runtime = sandboxedRuntime();
    expect((await runtime.call('write_file', { path: 'd/b', content: 'x' })).text).toMatch(/^Wrote d\/b/);
    expect([runtime.questions, attemptsIn(runtime)]).toEqual([[], [{ confined: true, grants: [] }]]);
  });

  test('a yes is for exactly that file', async () => {
    const runtime = sandboxedRuntime({ answers: ['once', 'deny'] });
    const [first = '', second = ''] = ['x', 'y'].map((name) => path.join(runtime.userHome, name));
    const { text } = await runtime.call('write_file', { path: first, content: 'x' });
    expect([text, readFileSync(first, 'utf8')]).toEqual([`Wrote ${first}: 1 byte, a new file.`, 'x']);
    expect((await runtime.call('write_file', { path: second, content: 'y' })).text).toMatch(/^rejected by user\. /);
    expect(existsSync(second)).toBe(false);
    expect(runtime.questions).toMatchObject([
      {
        presentation: { title: `Write ${first}`, diff: '+x' },
        permission: { confined: true, grants: [{ kind: 'write', path: first }] },
      },
      { permission: { grants: [{ kind: 'write', path: second }] } },
    ]);
  });

  test.each<readonly [what: string, name: string, mode: 'read-only' | 'workspace-write', words: RegExp]>([
    ['outside', '../home/x', 'workspace-write', /^writing outside of the project: /],
    ['through a link', 'home/x', 'workspace-write', /^writing outside of the project: /],
    ['what decides what may run', '.git/hooks/x', 'workspace-write', /^writing to what decides what may run: /],
    ['where all is only read', 'x', 'read-only', /^writing is blocked by read-only sandbox: /],
  ])('nobody to ask: %s', async (_, name, sandboxMode, words) => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'never', sandboxMode });
    symlinkSync(runtime.userHome, path.join(runtime.project, 'home'));
    const { text, result } = await runtime.call('write_file', { path: name, content: 'x' });
    expect(text).toMatch(words);
    expect(result.outcome).toMatchObject({ kind: 'rejected', by: 'policy' });
    expect([readdirSync(runtime.userHome), readdirSync(runtime.project)]).toEqual([[], ['home']]);
  });
});
