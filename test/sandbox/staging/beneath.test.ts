import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { lstat, readFile, readdir, unlink, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';

import { atEntry, inFolder, inParent, openFile, openRoot } from '../../../src/sandbox/staging/beneath.js';
import { tempFolder } from '../../support/temp-folder.js';
import { openFiles } from '../../support/open-files.js';

async function tree(): Promise<{ readonly folder: string; readonly root: FileHandle }> {
  const folder = tempFolder();
  mkdirSync(`${folder}/root/a/b`, { recursive: true });
  mkdirSync(`${folder}/outside`);
  writeFileSync(`${folder}/outside/secret`, 'secret');
  writeFileSync(`${folder}/root/a/b/file`, 'file');
  symlinkSync('../../outside', `${folder}/root/a/link`);
  symlinkSync('b', `${folder}/root/a/inner`);
  symlinkSync('file', `${folder}/root/a/b/alias`);
  const root = await openRoot(`${folder}/root`);
  onTestFinished(() => root.close());
  return { folder, root };
}

test('a file is reached through its folders', async () => {
  const { folder, root } = await tree();
  await inParent(root, 'a/b/new', (at) => writeFile(at, 'new'));
  expect(await readFile(`${folder}/root/a/b/new`, 'utf8')).toBe('new');
  expect(await inFolder(root, '.', (at) => readdir(at))).toEqual(['a']);
});

test('no link is passed on the way, wherever it leads, and none is opened at the end', async () => {
  const { folder, root } = await tree();
  for (const way of ['a/link/secret', 'a/inner/file', 'a/b/alias/x']) {
    await expect(inParent(root, way, (at) => unlink(at))).rejects.toMatchObject({ code: 'ENOTDIR' });
  }
  await expect(inFolder(root, 'a/link', (at) => readdir(at))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(openFile(root, 'a/b/alias')).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(openRoot(`${folder}/root/a/link`)).rejects.toMatchObject({ code: 'ENOTDIR' });
  expect(await atEntry(root, 'a/b/alias', async (_, handle) => (await handle.stat()).isSymbolicLink())).toBe(true);
});

test('no way leads up', async () => {
  const { root } = await tree();
  await expect(inFolder(root, 'a/../..', (at) => readdir(at))).rejects.toThrow('leads out');
});

test('a folder that is swapped for a link while it is used stays the same folder', async () => {
  const { folder, root } = await tree();
  await inParent(root, 'a/b/file', async (at) => {
    const { ino } = await lstat(at);
    renameSync(`${folder}/root/a/b`, `${folder}/root/a/c`);
    symlinkSync('../../outside', `${folder}/root/a/b`);
    expect((await lstat(at)).ino).toBe(ino);
  });
});

test('every descriptor is closed again, also after a failure', async () => {
  const { root } = await tree();
  const before = openFiles();
  await inFolder(root, 'a/b', (at) => readdir(at));
  await inParent(root, 'a/b/missing', (at) => unlink(at)).catch(() => undefined);
  await inFolder(root, 'a/link', (at) => readdir(at)).catch(() => undefined);
  await atEntry(root, 'a/b/missing', async () => undefined).catch(() => undefined);
  await atEntry(root, 'a/b/file', async () => undefined);
  expect(openFiles()).toEqual(before);
});
