import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { createPipeSupply } from '../../src/exec/pipe-supply.js';
import { openFiles } from '../support/open-files.js';
import { tempFolder } from '../support/temp-folder.js';

/** The pipes of this process that were made under a folder. */
function pipesUnder(folder: string): number {
  return openFiles().filter((target) => target.startsWith(folder)).length;
}

test('a pipe has two ends and no name', async () => {
  const folder = path.join(tempFolder(), 'pipes');
  const supply = createPipeSupply(folder);
  const pipe = await supply.take();
  expect(readdirSync(folder)).toEqual([]);
  fs.writeSync(pipe?.write ?? -1, 'hello');
  const read = Buffer.alloc(10);
  expect(read.toString('utf8', 0, fs.readSync(pipe?.read ?? -1, read))).toBe('hello');
  fs.closeSync(pipe?.read ?? -1);
  fs.closeSync(pipe?.write ?? -1);
  await supply.close();
  expect([existsSync(folder), pipesUnder(folder)]).toEqual([false, 0]);
});

test('many who ask at once get one each', async () => {
  const supply = createPipeSupply(path.join(tempFolder(), 'pipes'));
  const pipes = await Promise.all(Array.from({ length: 100 }, () => supply.take()));
  expect(new Set(pipes.map((pipe) => pipe?.read)).size).toBe(100);
  for (const pipe of pipes) {
    fs.closeSync(pipe?.read ?? -1);
    fs.closeSync(pipe?.write ?? -1);
  }
  await supply.close();
});

test('closing while pipes are being made leaves nothing behind', async () => {
  const folder = path.join(tempFolder(), 'pipes');
  const supply = createPipeSupply(folder);
  const taken = supply.take();
  await supply.close();
  const pipe = await taken;
  if (pipe) {
    fs.closeSync(pipe.read);
    fs.closeSync(pipe.write);
  }
  expect([existsSync(folder), pipesUnder(folder)]).toEqual([false, 0]);
});

test('where none can be made, there is none, and that is no error', async () => {
  const file = path.join(tempFolder(), 'file');
  writeFileSync(file, '');
  const supply = createPipeSupply(path.join(file, 'pipes'));
  expect([await supply.take(), await supply.take(), await supply.take(), await supply.take()]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  await supply.close();
});
