import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { RuntimeOptions } from '../../src/index.js';
import { listDir } from '../../src/tools/list-dir.js';
import { writeTree } from '../search/trees.js';
import type { Tree } from '../search/trees.js';
import { commandRuntime } from '../support/commands.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

/** `lines` are without the one that says which folder it is. */
type Listed = { readonly lines: readonly string[]; readonly text: string; readonly success: boolean };

function project(tree: Tree, options: RuntimeOptions = {}) {
  const cwd = tempFolder();
  writeTree(cwd, tree);
  const runtime = commandRuntime({ builtinTools: [listDir], cwd, ...options });
  const list = async (args: object = {}, signal?: AbortSignal): Promise<Listed> => {
    const { text, result } = await runtime.call('list_dir', args, signal);
    return { text, lines: text.split('\n').slice(1), success: result.answer.success };
  };
  return { cwd, list };
}

const TREE: Tree = { 'src/a.ts': '', 'src/core/b.ts': '', 'src/core/deep/c.ts': '', 'README.md': '', '.env': '' };

describe('a listing', () => {
  test('says which folder it is, and has its entries in the order of their names', async () => {
    const { cwd, list } = project(TREE);
    expect((await list()).text).toBe(`Absolute path: ${cwd}\n.env\nREADME.md\nsrc/`);
    expect((await list({ path: 'src' })).text).toBe(`Absolute path: ${cwd}/src\na.ts\ncore/`);
    expect((await list({ dir_path: path.join(cwd, 'src') })).text).toBe(`Absolute path: ${cwd}/src\na.ts\ncore/`);
  });

  test('goes as deep as it is told to', async () => {
    const { list } = project(TREE);
    const two = ['.env', 'README.md', 'src/', '  a.ts', '  core/'];
    expect((await list({ max_depth: 2 })).lines).toEqual(two);
    expect((await list({ depth: 3 })).lines).toEqual([...two, '    b.ts', '    deep/']);
    expect((await list({ recursive: true })).lines).toEqual([...two, '    b.ts', '    deep/', '      c.ts']);
    expect((await list({ recursive: true, max_depth: 1 })).lines).toEqual(['.env', 'README.md', 'src/']);
  });

  test('keeps what is in a folder right below it', async () => {
    const { list } = project({ 'a/x': '', 'a-b': '', 'a.c': '' });
    expect((await list({ recursive: true })).lines).toEqual(['a/', '  x', 'a-b', 'a.c']);
  });

  test('of an empty folder is its name', async () => {
    const { cwd, list } = project({});
    expect(await list()).toMatchObject({ text: `Absolute path: ${cwd}`, success: true });
  });

  test('shows where links lead, and does not follow them', async () => {
    const { cwd, list } = project({ 'real/x': '' });
    symlinkSync('real', path.join(cwd, 'link'));
    symlinkSync('/nowhere', path.join(cwd, 'dangling'));
    expect((await list({ recursive: true })).lines).toEqual(['dangling@ -> /nowhere', 'link@ -> real', 'real/', '  x']);
    expect((await list({ path: 'link' })).lines).toEqual(['x']);
  });

  test('has no name that could pass for two entries', async () => {
    const { cwd, list } = project({});
    writeFileSync(path.join(cwd, 'a\nb'), '');
    expect((await list()).lines).toEqual(['a\\x0ab']);
  });

  test('has size, mode and time of every entry when asked', async () => {
    const { cwd, list } = project({ 'a/b': '', 'c.txt': '12345' });
    for (const name of ['a', 'c.txt']) utimesSync(path.join(cwd, name), 0, 1_700_000_000);
    chmodSync(path.join(cwd, 'a'), 0o750);
    chmodSync(path.join(cwd, 'c.txt'), 0o604);
    expect((await list({ details: true })).lines).toEqual([
      'a/  (mode 750, 2023-11-14T22:13Z)',
      'c.txt  (5 bytes, mode 604, 2023-11-14T22:13Z)',
    ]);
  });

  test('can begin with the largest, or the newest', async () => {
    const { cwd, list } = project({ 'a/x': '1', y: '333', z: '22' });
    for (const [name, time] of Object.entries({ a: 1, 'a/x': 9, y: 2, z: 5 }))
      utimesSync(path.join(cwd, name), 0, time);
    expect((await list({ sort: 'modified', recursive: true })).lines).toEqual(['a/x', 'z', 'y', 'a/']);
    expect((await list({ sort: 'size', recursive: true, pattern: '[xyz]' })).lines).toEqual(['y', 'z', 'a/x']);
    expect((await list({ sort: 'size', recursive: true, pattern: '[xyz]', offset: 2, limit: 1 })).lines).toEqual([
      'z',
      'More than 1 entries found: go on with offset=3',
    ]);
  });
});

describe('a pattern', () => {
  test('without a slash is about names, with one about paths', async () => {
    const { list } = project(TREE);
    expect((await list({ recursive: true, pattern: '*.ts' })).lines).toEqual([
      'src/a.ts',
      'src/core/b.ts',
      'src/core/deep/c.ts',
    ]);
    expect((await list({ recursive: true, pattern: 'src/*' })).lines).toEqual(['src/a.ts', 'src/core/']);
    expect((await list({ path: 'src', recursive: true, pattern: 'core/**/*.ts' })).lines).toEqual([
      'core/b.ts',
      'core/deep/c.ts',
    ]);
  });

  test('that is none is refused', async () => {
    const { list } = project(TREE);
    expect(await list({ pattern: '*.{ts' })).toMatchObject({
      success: false,
      text: expect.stringMatching(/^the pattern `\*\.\{ts` is no glob/) as string,
    });
  });
});

describe('a page', () => {
  const many: Tree = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [`d/f${String(index).padStart(3, '0')}`, '']),
  );

  test('has 100 entries unless told otherwise, and says where to go on', async () => {
    const { list } = project(many);
    const first = await list({ path: 'd' });
    expect(first.lines).toHaveLength(101);
    expect(first.lines.at(-1)).toBe('More than 100 entries found: go on with offset=101');
    const last = await list({ path: 'd', offset: 201 });
    expect([last.lines.length, last.lines[0], last.lines.at(-1)]).toEqual([50, 'f200', 'f249']);
  });

  test('that begins in a folder says in which', async () => {
    const { list } = project(many);
    expect((await list({ recursive: true, offset: 3, limit: 1 })).lines).toEqual([
      '[in d/]',
      '  f001',
      'More than 1 entries found: go on with offset=4',
    ]);
  });

  test('behind the end is refused', async () => {
    const { list } = project(TREE);
    expect(await list({ offset: 4 })).toMatchObject({
      success: false,
      text: 'offset exceeds directory entry count: offset is 4, there are 3 entries',
    });
  });

  test('pages put together are the whole, whatever the budget and the limit', async () => {
    const { list } = project(many);
    const small = project(many, { outputBudget: { unit: 'bytes', amount: 900 } });
    const entries = (lines: readonly string[]) => lines.filter((line) => !/^\[in|^More/.test(line));
    const whole = entries((await list({ recursive: true, limit: 2_000 })).lines);
    expect(whole).toHaveLength(251);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 300 }), async (limit) => {
        const found: string[] = [];
        for (let offset = 1; offset > 0;) {
          const { text, lines } = await small.list({ recursive: true, limit, offset });
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(900);
          found.push(...entries(lines));
          offset = Number(/offset=(\d+)/.exec(text)?.[1] ?? 0);
        }
        expect(found).toEqual(whole);
      }),
      propertyRuns(4),
    );
  });
});

describe('what is ignored', () => {
  const tree: Tree = {
    '.git/HEAD': '',
    '.gitignore': 'node_modules/\n*.log\n!keep.log\n',
    'node_modules/x/y.js': '',
    'a.log': '',
    'keep.log': '',
    'src/.gitignore': '/gen\n',
    'src/gen/z.ts': '',
    'src/a.ts': '',
  };

  test('is left out and counted, and .git is left out', async () => {
    const { list } = project(tree);
    expect((await list({ recursive: true })).lines).toEqual([
      '.gitignore',
      'keep.log',
      'src/',
      '  .gitignore',
      '  a.ts',
      '[3 ignored entries are left out: include_ignored=true shows them]',
    ]);
  });

  test('is there when asked for, with .git', async () => {
    const { list } = project(tree);
    expect((await list({ include_ignored: true })).lines).toEqual([
      '.git/',
      '.gitignore',
      'a.log',
      'keep.log',
      'node_modules/',
      'src/',
    ]);
  });

  test('is there when it is asked for by its path', async () => {
    const { list } = project(tree);
    expect((await list({ path: 'node_modules', recursive: true })).lines).toEqual(['x/', '  y.js']);
    expect((await list({ path: '.git' })).lines).toEqual(['HEAD']);
    const vendor = project({ '.gitignore': 'vendor\n*.min.js\n', 'vendor/inner/x.min.js': '' });
    expect((await vendor.list({ path: 'vendor', recursive: true })).lines).toEqual(['inner/', '  x.min.js']);
    expect((await vendor.list({ path: 'vendor/inner' })).lines).toEqual(['x.min.js']);
  });

  test('is also what folders above say, up to the repository', async () => {
    const { cwd, list } = project(tree);
    writeTree(cwd, { 'src/b.log': '', 'src/inner/c.log': '', 'src/inner/.git/HEAD': '' });
    expect((await list({ path: 'src' })).lines).toEqual([
      '.gitignore',
      'a.ts',
      'inner/',
      '[2 ignored entries are left out: include_ignored=true shows them]',
    ]);
    expect((await list({ path: 'src/inner' })).lines).toEqual(['c.log']);
    expect((await list({ path: 'src', recursive: true })).lines).toContain('  c.log');
  });
});

describe('what cannot be listed', () => {
  test('is told in words', async () => {
    const { cwd, list } = project(TREE);
    expect((await list({ path: 'nope' })).text).toBe(`failed to read directory: ${cwd}/nope: no such folder`);
    expect((await list({ path: 'README.md' })).text).toBe(
      `failed to read directory: ${cwd}/README.md: it is not a folder`,
    );
    expect((await list({ offset: 0 })).text).toMatch(/^failed to parse function arguments: .*`offset`/);
  });

  test.skipIf(process.getuid?.() === 0)('does not keep the rest from being listed', async () => {
    const { cwd, list } = project({ 'a/x': '', 'b/y': '' });
    chmodSync(path.join(cwd, 'a'), 0o000);
    expect((await list({ recursive: true })).lines).toEqual(['a/', 'b/', '  y', '[1 folder could not be read]']);
    chmodSync(path.join(cwd, 'a'), 0o700);
  });

  test('a cancelled call ends', async () => {
    const { list } = project(TREE);
    const controller = new AbortController();
    controller.abort();
    expect((await list({ recursive: true }, controller.signal)).success).toBe(false);
  });
});

test('a folder of very many entries is listed', async () => {
  const count = process.env['TENON_DEEP'] === undefined ? 5_000 : 1_000_000;
  const nameOf = (index: number) => String(index).padStart(7, '0');
  const { cwd, list } = project({});
  mkdirSync(path.join(cwd, 'many'));
  for (let index = 0; index < count; index += 1) writeFileSync(path.join(cwd, 'many', nameOf(index)), '');
  const { lines } = await list({ path: 'many', offset: count });
  expect(lines).toEqual([nameOf(count - 1)]);
});

test('confined, it lists the same', async () => {
  const { list } = project(TREE, { sandboxMode: 'read-only' });
  expect((await list({ max_depth: 2 })).lines).toEqual(['.env', 'README.md', 'src/', '  a.ts', '  core/']);
});
