import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { replaceFile } from '../../src/store/replace-file.js';
import { tempFolder } from '../support/temp-folder.js';

const mode = (file: string) => statSync(file).mode & 0o777;

test('file and folders are made, for the user alone', async () => {
  const folder = path.join(tempFolder(), 'a/b');
  const file = path.join(folder, 'file');
  await replaceFile(file, 'text');
  expect(readFileSync(file, 'utf8')).toBe('text');
  expect([path.dirname(folder), folder, file].map(mode)).toEqual([0o700, 0o700, 0o600]);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('who has the old one open reads it whole', async () => {
  const file = path.join(tempFolder(), 'file');
  writeFileSync(file, 'before');
  const descriptor = openSync(file, 'r');
  await replaceFile(file, Buffer.from('after'));
  expect([readFileSync(descriptor, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['before', 'after']);
  closeSync(descriptor);
});

test('a link is kept, and where it leads to is replaced', async () => {
  const folder = tempFolder();
  const [link, real] = [path.join(folder, 'link'), path.join(folder, 'other/real')];
  mkdirSync(path.dirname(real));
  writeFileSync(real, 'before');
  symlinkSync(real, link);
  await replaceFile(link, 'after');
  expect([lstatSync(link).isSymbolicLink(), readFileSync(real, 'utf8')]).toEqual([true, 'after']);
  expect([readdirSync(folder).toSorted(), readdirSync(path.dirname(real))]).toEqual([['link', 'other'], ['real']]);
});

test('what cannot be replaced is left as it was', async () => {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'file/inside'), { recursive: true });
  await expect(replaceFile(path.join(folder, 'file'), 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect([readdirSync(folder), readdirSync(path.join(folder, 'file'))]).toEqual([['file'], ['inside']]);
});

test('many who write at once leave the text of one', async () => {
  const file = path.join(tempFolder(), 'file');
  const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(1_000));
  await Promise.all(texts.map((text) => replaceFile(file, text)));
  expect(texts).toContain(readFileSync(file, 'utf8'));
  expect(readdirSync(path.dirname(file))).toEqual(['file']);
});
