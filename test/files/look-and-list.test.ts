import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';

import type { Files, ListedEntry } from '../../src/core/files.js';
import type { AbsolutePath } from '../../src/core/paths.js';
import { layGrounds } from '../sandbox/files/grounds.js';
import { KINDS, layGround, outcome } from './ground.js';
import { openFiles } from '../support/open-files.js';

async function listed(files: Files, folder: AbsolutePath): Promise<readonly ListedEntry[]> {
  const entries: ListedEntry[] = [];
  for await (const portion of files.list(folder)) entries.push(...portion);
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

describe.each(KINDS)('$kind', ({ filesIn }) => {
  test('a look tells what has a name, and follows nothing', async () => {
    const { files, at, top, lay } = layGround(filesIn);
    lay({ 'd/file': 'text', link: '-> d/file', away: '-> nowhere' });
    execFileSync('mkfifo', [at('pipe')]);
    fs.chmodSync(at('d/file'), 0o640);
    fs.utimesSync(at('d/file'), 1_000, 1_000);
    expect(await files.look(at('d/file'))).toEqual({ kind: 'file', size: 4, mode: 0o640, modified: 1_000_000 });
    expect(await files.look(at('link'))).toMatchObject({ kind: 'link', target: 'd/file' });
    expect(await files.look(at('away'))).toMatchObject({ kind: 'link', target: 'nowhere' });
    const kinds = [at('d'), top, '/' as AbsolutePath, at('pipe')].map(async (each) => (await files.look(each))?.kind);
    expect(await Promise.all(kinds)).toEqual(['folder', 'folder', 'folder', 'other']);
    const none = [at('none'), at('none/x'), at('d/file/x'), at('away/x')].map((each) => files.look(each));
    expect(await Promise.all(none)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('a list tells all names in a folder, a portion at a time', async () => {
    const { files, at, lay } = layGround(filesIn);
    lay({ 'd/file': '', 'd/link': '-> file', 'd/sub/x': '', way: '-> d', 'empty/': '' });
    execFileSync('mkfifo', [at('d/pipe')]);
    const entries = [
      { name: 'file', kind: 'file' },
      { name: 'link', kind: 'link' },
      { name: 'pipe', kind: 'other' },
      { name: 'sub', kind: 'folder' },
    ];
    expect(await listed(files, at('d'))).toEqual(entries);
    expect(await listed(files, at('way'))).toEqual(entries);
    expect(await listed(files, at('empty'))).toEqual([]);
  });

  test('what is no folder cannot be listed', async () => {
    const { files, at, lay } = layGround(filesIn);
    lay({ file: '' });
    execFileSync('mkfifo', [at('pipe')]);
    const outcomes = ['file', 'pipe', 'none', 'file/x'].map((name) => outcome(listed(files, at(name))));
    expect(await Promise.all(outcomes)).toEqual(['not-folder', 'not-folder', 'missing', 'missing']);
  });

  test('a large folder comes in portions, and whoever stops early leaves nothing open', async () => {
    const { files, at, lay } = layGround(filesIn);
    lay({ 'd/f0': '' });
    // Further names of one file, which are quicker to make than files.
    for (let index = 1; index < 2_500; index += 1) fs.linkSync(at('d/f0'), at(`d/f${index}`));
    const before = openFiles();
    const sizes: number[] = [];
    for await (const portion of files.list(at('d'))) sizes.push(portion.length);
    expect([Math.max(...sizes), sizes.reduce((sum, each) => sum + each, 0)]).toEqual([1_000, 2_500]);
    for await (const portion of files.list(at('d'))) if (portion.length > 0) break;
    expect(openFiles()).toEqual(before);
  });
});

describe('what is hidden', () => {
  test('is not looked at and not listed, by any way', async () => {
    const { files, at, denials } = layGrounds();
    fs.symlinkSync('../hidden', at('ws/way'));
    const looks = ['hidden/secret', 'hidden', 'hidden/none', 'ws/way/secret', 'ws/way/none'];
    for (const name of looks) expect(await outcome(files.look(at(name))), name).toBe('forbidden');
    for (const name of ['hidden', 'ws/way']) expect(await outcome(listed(files, at(name))), name).toBe('forbidden');
    expect(new Set(denials.map(({ kind }) => kind))).toEqual(new Set(['read']));
    expect(denials).toHaveLength(7);
    expect(await files.look(at('ws/way'))).toMatchObject({ kind: 'link', target: '../hidden' });
  });

  test.runIf(process.platform === 'linux')('are the places of processes, too', async () => {
    const { files } = layGrounds();
    const places = ['/proc/self/exe', '/proc/self/fd/0', '/proc/1/cwd'];
    for (const each of places) expect(await outcome(files.look(each as AbsolutePath)), each).toBe('forbidden');
    expect(await outcome(listed(files, '/proc/self' as AbsolutePath))).toBe('forbidden');
  });
});
