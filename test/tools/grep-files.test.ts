import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../src/core/paths.js';
import type { Workspace } from '../../src/core/workspace.js';
import { createLocalWorkspace } from '../../src/exec/local-workspace.js';
import type { RuntimeOptions } from '../../src/index.js';
import { grepFiles } from '../../src/tools/grep-files.js';
import { anyTree, writeTree } from '../search/trees.js';
import type { Tree } from '../search/trees.js';
import { commandRuntime } from '../support/commands.js';
import { propertyRuns } from '../support/property-runs.js';
import { latch } from '../support/runtime.js';
import { tempFolder } from '../support/temp-folder.js';

type Told = { readonly text: string; readonly success: boolean; readonly kind: string };

function project(tree: Tree, options: RuntimeOptions = {}, cwd = tempFolder()) {
  writeTree(cwd, tree);
  const runtime = commandRuntime({ builtinTools: [grepFiles], cwd, ...options });
  const grep = async (args: object, signal?: AbortSignal): Promise<Told> => {
    const { text, result } = await runtime.call('grep_files', args, signal);
    return { text, success: result.answer.success, kind: result.outcome.kind };
  };
  return { cwd, grep };
}

/** This machine, with another program for searches or none. */
function withSearch(cwd: string, command?: readonly string[]): Workspace {
  return { ...createLocalWorkspace(absolutePath(cwd)), companion: async () => command };
}

const TREE: Tree = {
  'src/a.ts': 'one\nTwo two\nthree\nfour\nfive two\n',
  'src/b.js': 'two\n',
  'src-x': 'two\n',
  'README.md': 'nothing\n',
};

/** Both searches answer alike, so that most tests are about both. */
describe.each(['ripgrep', 'our own search'])('%s', (which) => {
  const open = (tree: Tree, options: RuntimeOptions = {}) => {
    const cwd = tempFolder();
    return project(tree, which === 'ripgrep' ? options : { ...options, workspace: withSearch(cwd) }, cwd);
  };

  test('shows the lines that match, by file, in the order of the names', async () => {
    const { grep } = open(TREE);
    expect(await grep({ pattern: 'two$' })).toEqual({
      text: 'src/a.ts\n2: Two two\n5: five two\n\nsrc/b.js\n1: two\n\nsrc-x\n1: two',
      success: true,
      kind: 'completed',
    });
  });

  test('shows only the files, or the number of lines', async () => {
    const { grep } = open(TREE);
    expect((await grep({ pattern: 'two', output: 'files' })).text).toBe('src/a.ts\nsrc/b.js\nsrc-x');
    expect((await grep({ pattern: 'two', output_mode: 'files_with_matches' })).text).toBe('src/a.ts\nsrc/b.js\nsrc-x');
    expect((await grep({ pattern: 'two', output: 'count' })).text).toBe('src/a.ts: 2\nsrc/b.js: 1\nsrc-x: 1');
  });

  test('shows lines around a match, with a mark where some are missing', async () => {
    const { grep } = open({ a: 'hit\nb\nc\nd\ne\nhit\nhit\nf\n' });
    expect((await grep({ pattern: 'hit', context: 1 })).text).toBe('a\n1: hit\n2- b\n--\n5- e\n6: hit\n7: hit\n8- f');
  });

  test('cares for case unless told otherwise', async () => {
    const { grep } = open(TREE);
    expect((await grep({ pattern: 'TWO', case_sensitive: false, output: 'count' })).text).toBe(
      'src/a.ts: 2\nsrc/b.js: 1\nsrc-x: 1',
    );
    expect((await grep({ pattern: '(?i)ONE' })).text).toBe('src/a.ts\n1: one');
  });

  test('takes a pattern literally when told to', async () => {
    const { grep } = open({ a: 'x(1)\nx1\n' });
    expect((await grep({ pattern: 'x(1)', literal: true })).text).toBe('a\n1: x(1)');
    expect((await grep({ pattern: 'x(1)' })).text).toBe('a\n2: x1');
  });

  test('finds what goes over several lines when told to', async () => {
    const { grep } = open(TREE);
    expect((await grep({ pattern: 'one\\nTwo', multiline: true })).text).toBe('src/a.ts\n1: one\n2: Two two');
  });

  test('finds the end of a line in files from Windows', async () => {
    const { grep } = open({ a: 'one\r\ntwo\r\n' });
    expect((await grep({ pattern: 'e$' })).text).toBe('a\n1: one');
  });

  test('knows lookahead', async () => {
    const { grep } = open(TREE);
    expect((await grep({ pattern: '^f(?=iv)' })).text).toBe('src/a.ts\n5: five two');
  });

  test('searches a folder, a file, or what a pattern says', async () => {
    const { cwd, grep } = open(TREE);
    expect((await grep({ pattern: 'two', path: 'src', include: '*.js' })).text).toBe('src/b.js\n1: two');
    expect((await grep({ pattern: 'two', path: path.join(cwd, 'src/b.js') })).text).toBe('src/b.js\n1: two');
    expect((await grep({ pattern: 'two', glob: 'src/*.{js,c},!b.*' })).text).toMatch(/^No matches found\./);
    expect((await grep({ pattern: 'two', file_pattern: '!*.ts', output: 'files' })).text).toBe('src/b.js\nsrc-x');
  });

  test('gives whole paths for what is not in the workspace', async () => {
    const { grep } = open({});
    const elsewhere = tempFolder();
    writeTree(elsewhere, { 'x/y': 'two\n' });
    expect((await grep({ pattern: 'two', path: elsewhere })).text).toBe(`${elsewhere}/x/y\n1: two`);
  });

  test('leaves out ignored files, also where a pattern names them, and .git in any case', async () => {
    const { grep } = open({
      '.git/HEAD': 'two\n',
      '.gitignore': '*.log\n',
      '.hidden': 'two\n',
      'a.log': 'two\n',
    });
    expect((await grep({ pattern: 'two', output: 'files' })).text).toBe('.hidden');
    expect((await grep({ pattern: 'two', file_pattern: '*.log' })).text).toBe(
      'No matches found. Ignored files were not searched: include_ignored=true searches them too.',
    );
    expect((await grep({ pattern: 'two', output: 'files', include_ignored: true })).text).toBe('.hidden\na.log');
  });

  test('leaves out binary files, and shows what is no UTF-8 as well as it can', async () => {
    const { cwd, grep } = open({});
    writeFileSync(path.join(cwd, 'binary'), 'two\n\0');
    writeFileSync(path.join(cwd, 'latin'), Buffer.from('two \xe9\r\n', 'latin1'));
    writeFileSync(path.join(cwd, 'wide'), Buffer.from('\ufefftwo\n', 'utf16le'));
    expect((await grep({ pattern: 'two' })).text).toBe('latin\n1: two \ufffd\n\nwide\n1: two');
  });

  test('cuts long lines', async () => {
    const { grep } = open({ a: `two${'é'.repeat(1_000)}\n` });
    expect((await grep({ pattern: 'two' })).text).toBe(`a\n1: two${'é'.repeat(248)}…`);
  });

  test('says how many there are when it does not show all', async () => {
    const { grep } = open({ a: 'x\n'.repeat(150), b: 'x\nx\n' });
    expect((await grep({ pattern: 'x' })).text).toMatch(
      /\n100: x\n\[100 of 152 matching lines in 2 files shown: narrow the search, or raise max_results\]$/,
    );
    expect((await grep({ pattern: 'x', limit: 151 })).text).toMatch(/\n150: x\n\nb\n1: x\n\[151 of 152 /);
    expect((await grep({ pattern: 'x', max_results: 1, output: 'files' })).text).toBe(
      'a\n[1 of 2 files shown: narrow the search, or raise max_results]',
    );
  });

  test('fits the budget of the model', async () => {
    const { grep } = open(
      { a: `x ${'y'.repeat(90)}\n`.repeat(50) },
      { outputBudget: { unit: 'bytes', amount: 2_000 } },
    );
    const { text } = await grep({ pattern: 'x' });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_000);
    expect(text).toMatch(/\n15: x y+\n\[15 of 50 matching lines in 1 file shown/);
  });

  test('says that there is nothing', async () => {
    const { grep } = open(TREE);
    expect(await grep({ pattern: 'absent', include_ignored: true })).toEqual({
      text: 'No matches found.',
      success: false,
      kind: 'completed',
    });
    expect((await grep({ pattern: 'absent', path: 'src/a.ts' })).text).toBe('No matches found.');
  });

  test('says what is wrong with a pattern', async () => {
    const { grep } = open(TREE);
    const { text, kind } = await grep({ pattern: '(two' });
    expect(kind).toBe('failed');
    expect(text).toMatch(/^rg failed: regex parse error:/);
    expect(text).toMatch(/\nCorrect the pattern, or send literal=true to look for it as plain text\.$/);
  });

  test('says what is wrong with a call', async () => {
    const { grep } = open(TREE);
    expect((await grep({ pattern: ' ' })).text).toBe('pattern must not be empty');
    expect((await grep({ pattern: 'x', path: 'nope' })).text).toBe('unable to access `nope`: no such file or folder');
    expect((await grep({ pattern: 'x', limit: 0 })).text).toMatch(
      /^failed to parse function arguments: .*`max_results`/,
    );
  });
});

test('both searches give the same answer', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'é'), maxLength: 6 });
  const content = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => `${lines.join('\n')}\n`);
  const args = fc.record(
    {
      pattern: fc.constantFrom('a', '^a', 'b$', 'a.c', '[ab]c', 'a|é', '(a|b)+ ', 'A', 'x?b'),
      path: fc.constantFrom('.', 'a', 'b'),
      file_pattern: fc.constantFrom('*.x', 'a*', 'a/**', '*/*.x,!b*', '{a,b}*', '**/b/*'),
      output: fc.constantFrom('content', 'files', 'count'),
      case_sensitive: fc.boolean(),
      context: fc.nat(2),
      max_results: fc.integer({ min: 1, max: 10 }),
      include_ignored: fc.boolean(),
    },
    { requiredKeys: ['pattern'] },
  );
  const folder = tempFolder();
  await fc.assert(
    fc.asyncProperty(anyTree(content), args, async (tree, call) => {
      const cwd = mkdtempSync(path.join(folder, 'tree-'));
      const whole = { ...tree, 'a/keep': 'abc\n', 'b/keep': 'abc\n' };
      const first = await project(whole, {}, cwd).grep(call);
      const second = await project(whole, { workspace: withSearch(cwd) }, cwd).grep(call);
      const notes = /\n\[some files, or ignore files, could not be read\]$/;
      expect({ ...second, call }).toEqual({ ...first, text: first.text.replace(notes, ''), call });
    }),
    propertyRuns(15, 2_500),
  );
});

describe('ripgrep', () => {
  test('is confined like any command', async () => {
    const { grep } = project(TREE, { sandboxMode: 'read-only' });
    expect((await grep({ pattern: 'two', output: 'count' })).text).toBe('src/a.ts: 2\nsrc/b.js: 1\nsrc-x: 1');
  });

  test('may have names of files that look like anything', async () => {
    const { grep } = project({ 'a\n2:b': 'two\n', '-e': 'two\n', 'c\\': 'two\n' });
    expect((await grep({ pattern: 'two', output: 'files' })).text).toBe('-e\na\\x0a2:b\nc\\');
    expect((await grep({ pattern: 'two', path: '-e' })).text).toBe('-e\n1: two');
    expect((await grep({ pattern: '-e', path: '-e' })).text).toBe('No matches found.');
  });

  test('says that a binary file matches when it was asked for that file', async () => {
    const { grep } = project({ b: 'two\n\0\n' });
    expect((await grep({ pattern: 'two', path: 'b' })).text).toBe(
      'No matches found.\n[b is a binary file, and it matches]',
    );
  });

  test('that is not there, or cannot be started, is replaced', async () => {
    const cwd = tempFolder();
    const workspace = withSearch(cwd, [path.join(cwd, 'no-such-program')]);
    expect((await project(TREE, { workspace }, cwd).grep({ pattern: 'one' })).text).toBe('src/a.ts\n1: one');
    const confined = project(TREE, { workspace, sandboxMode: 'workspace-write' }, cwd);
    expect((await confined.grep({ pattern: 'one' })).text).toBe('src/a.ts\n1: one');
  });

  test('that never stops printing is stopped', async () => {
    const cwd = tempFolder();
    const line = String.raw`./a\0001:two two two two two two two two two two two\n`;
    const workspace = withSearch(cwd, ['/bin/sh', '-c', `while :; do printf '${line.repeat(50)}'; done`]);
    const { text } = await project({}, { workspace }, cwd).grep({ pattern: 'two', max_results: 1 });
    expect(text).toMatch(
      /^a\n1: two[^\n]*\n\[1 of at least \d+ matching lines in at least 1 file shown; the search was ended early: there are too many matches:/,
    );
  });

  test('ends with its call', async () => {
    const cwd = tempFolder();
    const started = latch<number>();
    const local = withSearch(cwd, ['/bin/sh', '-c', 'exec sleep 1000']);
    const spawn: Workspace['spawn'] = async (command) => {
      const process = await local.spawn(command);
      started.open(process.pid ?? 0);
      return process;
    };
    const controller = new AbortController();
    const answer = project({}, { workspace: { ...local, spawn } }, cwd).grep({ pattern: 'two' }, controller.signal);
    const pid = await started.opened;
    controller.abort();
    expect((await answer).kind).toBe('aborted');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('our own search gives up a file for which the pattern takes too long', async () => {
  const cwd = tempFolder();
  const tree = { a: `${'a'.repeat(60)}b\n`, c: 'aac\n' };
  const { grep } = project(tree, { workspace: withSearch(cwd) }, cwd);
  expect((await grep({ pattern: '^(a+)+c$' })).text).toBe('c\n1: aac\n[1 file was not searched: took too long]');
});

describe('files that must not be read', () => {
  const rules: RuntimeOptions['rules'] = {
    load: async () => [
      { kind: 'path', access: 'read', patterns: ['/**/.env'], decision: 'forbidden', file: 'rules.toml', line: 1 },
    ],
  };

  test.each(['danger-full-access', 'workspace-write'] as const)(
    'are left out, and that is said: %s',
    async (sandboxMode) => {
      const runtime = commandRuntime({ rules, sandboxMode });
      for (const name of ['.env', 'a.txt', 'b.txt']) writeFileSync(path.join(runtime.folder, name), 'key = 1\n');
      const note = '[1 of the files are left out: rules forbid to read them]';
      expect((await runtime.call('grep_files', { pattern: 'key' })).text).toBe(
        `a.txt\n1: key = 1\n\nb.txt\n1: key = 1\n${note}`,
      );
      expect((await runtime.call('grep_files', { pattern: 'key', output: 'files', max_results: 1 })).text).toContain(
        'a.txt',
      );
      expect((await runtime.call('grep_files', { pattern: 'key', path: '.env' })).text).toMatch(/rejected: /);
      expect((await runtime.call('list_dir', {})).text).toContain('a.txt');
    },
  );
});
