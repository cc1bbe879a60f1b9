import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { openMessageFile } from '../../../src/cli/exec/message-file.js';
import { tempFolder } from '../../support/temp-folder.js';

test('a new file appears when it is written, not before, and nothing beside it', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'answer.md');
  const write = openMessageFile(file);
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
  openMessageFile(link)('new');
  expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({ text: 'new', mode: 0o640 });
  expect(readFileSync(link, 'utf8')).toBe('new');
});

test('what is no file is written to, not replaced', () => {
  openMessageFile('/dev/null')('gone');
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('a place that cannot be written is told at once', () => {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'sub'));
  writeFileSync(path.join(folder, 'file'), '');
  const named = (name: string) => path.join(folder, name);
  expect(() => openMessageFile(named('sub'))).toThrow(
    `--output-last-message ${named('sub')} cannot be written: it is a folder`,
  );
  expect(() => openMessageFile(named('no/file'))).toThrow(`there is no folder ${named('no')}`);
  expect(() => openMessageFile(named('file/x'))).toThrow(`${named('file')} is not a folder`);
});
