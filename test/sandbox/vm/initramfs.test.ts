import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { initramfs } from '../../../src/sandbox/vm/initramfs.js';
import type { ArchiveFile } from '../../../src/sandbox/vm/initramfs.js';
import { propertyRuns } from '../../support/property-runs.js';
import { tempFolder } from '../../support/temp-folder.js';

const FILES: readonly ArchiveFile[] = [
  { kind: 'folder', path: 'bin' },
  { kind: 'file', path: 'bin/tool', content: Buffer.from('a tool'), executable: true },
  { kind: 'file', path: 'notes', content: Buffer.from('four') },
  { kind: 'file', path: 'empty', content: Buffer.alloc(0) },
];

const hasCpio = spawnSync('cpio', ['--version']).status === 0;

test('an entry is a head of fixed fields, its name and its content, each up to a multiple of four', () => {
  const archive = Buffer.from(initramfs([{ kind: 'file', path: 'notes', content: Buffer.from('hello') }])).toString();
  const head = `070701${fields('1 81a4 0 0 1 0 5 0 0 0 0 6 0')}`;
  const trailer = `070701${fields('0 0 0 0 1 0 0 0 0 0 0 b 0')}`;
  expect(archive).toBe(`${head}notes\0hello\0\0\0${trailer}TRAILER!!!\0\0\0\0`);
});

test('a folder and a device have their own kinds', () => {
  const archive = initramfs([
    { kind: 'folder', path: 'dev' },
    { kind: 'device', path: 'dev/console', major: 5, minor: 1 },
  ]);
  const text = Buffer.from(archive).toString();
  expect(text).toContain(`070701${fields('1 41ed 0 0 2 0 0 0 0 0 0 4 0')}dev\0`);
  expect(text).toContain(`070701${fields('2 2180 0 0 1 0 0 0 0 5 1 c 0')}dev/console\0`);
});

test.each(['', '/etc', 'a//b', 'a/../b', './a', 'a\0b', 'TRAILER!!!'])('%j is no path for an archive', (name) => {
  expect(() => initramfs([{ kind: 'folder', path: name }])).toThrow(TypeError);
});

test.skipIf(!hasCpio)('cpio unpacks what was packed', () => {
  const folder = tempFolder();
  expect(unpack(folder, FILES)).toBe(0);
  expect(readFileSync(path.join(folder, 'bin/tool'), 'utf8')).toBe('a tool');
  expect(readFileSync(path.join(folder, 'notes'), 'utf8')).toBe('four');
  expect(statSync(path.join(folder, 'empty')).size).toBe(0);
  expect(statSync(path.join(folder, 'bin/tool')).mode & 0o777).toBe(0o755);
});

test.skipIf(!hasCpio)('cpio lists every name, whatever is in the files', () => {
  const files = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), fc.uint8Array({ maxLength: 30 }));
  fc.assert(
    fc.property(files, (contents) => {
      const entries = Object.entries(contents);
      const input = initramfs(entries.map(([name, content]) => ({ kind: 'file', path: name, content })));
      const listed = spawnSync('cpio', ['-t', '--quiet'], { input, encoding: 'utf8' });
      expect(listed).toMatchObject({ status: 0, stdout: entries.map(([name]) => `${name}\n`).join('') });
    }),
    { ...propertyRuns(10), endOnFailure: true },
  );
});

function fields(text: string): string {
  return text
    .split(' ')
    .map((field) => field.padStart(8, '0'))
    .join('');
}

function unpack(folder: string, files: readonly ArchiveFile[]): number | null {
  mkdirSync(folder, { recursive: true });
  return spawnSync('cpio', ['-i', '--quiet'], { cwd: folder, input: initramfs(files) }).status;
}
