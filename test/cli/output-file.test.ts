import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { openOutputFile } from '../../src/cli/output-file.js';
import { tempFolder } from '../support/temp-folder.js';

test('a new file appears when it is written, not before, and nothing beside it', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'answer.md');
  const write = openOutputFile(file, '-o');
  expect(readdirSync(folder)).toEqual([]);
  write('');
  expect(readFileSync(file, 'utf8')).toBe('');
  write('done');
  expect(readFileSync(file, 'utf8')).toBe('done');
  expect(readdirSync(folder)).toEqual(['answer.md']);
});

test('a file that is there keeps its mode, and a link keeps leading to it', () => {
  const folder = tempFolder();
  const [file, link] = [path.join(folder, 'real'), path.join(folder, 'link')];
  writeFileSync(file, 'old');
  chmodSync(file, 0o640);
  symlinkSync(file, link);
  openOutputFile(link, '-o')('new');
  expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({ text: 'new', mode: 0o640 });
  expect(readFileSync(link, 'utf8')).toBe('new');
});

test('what is no file is written to, not replaced', () => {
  openOutputFile('/dev/null', '-o')('gone');
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('a place that cannot be written is told at once', () => {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'sub'));
  writeFileSync(path.join(folder, 'file'), '');
  const named = (name: string) => path.join(folder, name);
  expect(() => openOutputFile(named('sub'), '-o')).toThrow(`-o ${named('sub')} cannot be written: it is a folder`);
  expect(() => openOutputFile(named('no/file'), '-o')).toThrow(`there is no folder ${named('no')}`);
  expect(() => openOutputFile(named('file/x'), '-o')).toThrow(`${named('file')} is not a folder`);
});
