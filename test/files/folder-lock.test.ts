import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { AbsolutePath } from '../../src/core/paths.js';
import { withFolderLock } from '../../src/files/folder-lock.js';
import { removeLeftovers } from '../../src/files/temporary-name.js';
import { tempFolder } from '../support/temp-folder.js';

const nothing = async () => {};

function gone(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('a lock on a folder', () => {
  test('is there while something is done, and gone afterwards, also when that fails', async () => {
    const folder = tempFolder();
    const seen: string[][] = [];
    await withFolderLock(folder, nothing, () => void seen.push(fs.readdirSync(folder)));
    const failing = withFolderLock(folder, nothing, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([seen, fs.readdirSync(folder)]).toEqual([[['.tenon-lock']], []]);
  });

  test('is waited for while its holder lives, and what has to be known is asked for again', async () => {
    const folder = tempFolder();
    const lock = path.join(folder, '.tenon-lock');
    fs.symlinkSync(`${process.ppid}-0`, lock);
    let asked = 0;
    const ready = async () => {
      asked += 1;
      if (asked === 3) fs.unlinkSync(lock);
      return asked;
    };
    const acted: number[] = [];
    await withFolderLock(folder, ready, (value) => void acted.push(value));
    expect(acted).toEqual([3]);
  });

  test('of somebody who is gone, of nobody, or of our own that was left, is taken away', async () => {
    const folder = tempFolder();
    for (const holder of [`${gone()}-0`, 'x', await holderNow(folder)]) {
      fs.symlinkSync(holder, path.join(folder, '.tenon-lock'));
      let acted = 0;
      await withFolderLock(folder, nothing, () => void (acted += 1));
      expect([acted, fs.readdirSync(folder)], holder).toEqual([1, []]);
    }
  });

  test('is cleared up together with what else a process left, and nobody else loses anything', async () => {
    const folder = tempFolder();
    const pid = gone();
    fs.symlinkSync(`${pid}-0`, path.join(folder, '.tenon-lock'));
    for (const name of [`.tenon-${pid}-x-1.tmp`, `.tenon-${pid}0-x-1.tmp`, `.tenon-${pid}-notes`, 'a']) {
      fs.writeFileSync(path.join(folder, name), '');
    }
    fs.mkdirSync(path.join(folder, `.tenon-${pid}-x-2.tmp`));
    fs.mkdirSync(path.join(folder, `.tenon-${pid}-x-3.tmp/of-others`), { recursive: true });
    await removeLeftovers(folder as AbsolutePath, pid);
    expect(new Set(fs.readdirSync(folder))).toEqual(
      new Set([`.tenon-${pid}0-x-1.tmp`, `.tenon-${pid}-notes`, `.tenon-${pid}-x-3.tmp`, 'a']),
    );
    fs.symlinkSync('1-0', path.join(folder, '.tenon-lock'));
    await removeLeftovers(folder as AbsolutePath, pid);
    expect(fs.readlinkSync(path.join(folder, '.tenon-lock'))).toBe('1-0');
  });
});

async function holderNow(folder: string): Promise<string> {
  let holder = '';
  await withFolderLock(folder, nothing, () => void (holder = fs.readlinkSync(path.join(folder, '.tenon-lock'))));
  return holder;
}
