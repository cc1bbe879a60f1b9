import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Files, OpenFile } from '../../src/core/files.js';
import { absolutePath } from '../../src/core/paths.js';
import { contentOf, readState, readWhole } from '../../src/core/read-state.js';
import { localFiles } from '../../src/exec/local-files.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

function ground() {
  const folder = tempFolder();
  const at = (name: string) => absolutePath(path.join(folder, name));
  writeFileSync(at('file'), 'content', { mode: 0o640 });
  mkdirSync(at('folder'), { mode: 0o750 });
  symlinkSync('file', at('link'));
  symlinkSync('nowhere', at('dangling'));
  return { at, state: (name: string) => readState(localFiles, at(name)) };
}

describe('the state of a name', () => {
  test.each([
    ['file', { kind: 'file', content: Buffer.from('content'), mode: 0o640 }],
    ['folder', { kind: 'folder', mode: 0o750 }],
    ['link', { kind: 'link', target: 'file' }],
    ['dangling', { kind: 'link', target: 'nowhere' }],
    ['missing', { kind: 'absent' }],
    ['file/below', { kind: 'absent' }],
  ])('%s', async (name, state) => {
    expect(await ground().state(name)).toEqual(state);
  });

  test('what is none of these has no state', async () => {
    const { at, state } = ground();
    execFileSync('mkfifo', [at('pipe')]);
    await expect(state('pipe')).rejects.toMatchObject({ name: 'FileProblem', kind: 'special' });
  });
});

describe('the whole of a file', () => {
  test('through a link', async () => {
    expect((await readWhole(localFiles, ground().at('link'))).toString()).toBe('content');
  });

  test.each([
    ['folder', 'folder'],
    ['missing', 'missing'],
    ['dangling', 'missing'],
  ])('%s has none', async (name, kind) => {
    await expect(readWhole(localFiles, ground().at(name))).rejects.toMatchObject({ name: 'FileProblem', kind });
  });

  test.skipIf(process.platform !== 'linux')('of a file that says it is empty', async () => {
    const file = absolutePath('/proc/version');
    expect((await readWhole(localFiles, file)).toString()).toBe(readFileSync(file, 'utf8'));
  });

  test('it is closed when it was read, and when it could not be', async () => {
    const { at } = ground();
    const closed: string[] = [];
    const files = (read: OpenFile['read']): Files => ({
      ...localFiles,
      open: async () => ({ size: 1, mode: 0o644, read, close: async () => void closed.push('closed') }),
    });
    await readWhole(
      files(async () => 0),
      at('file'),
    );
    const broken = files(async () => {
      throw new Error('the disk is gone');
    });
    await expect(readWhole(broken, at('file'))).rejects.toThrow('the disk is gone');
    expect(closed).toEqual(['closed', 'closed']);
  });

  test('is all there, whatever size was told and however much comes at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(400),
        fc.infiniteStream(fc.integer({ min: 1, max: 64 })),
        async (bytes, size, portions) => {
          const read: OpenFile['read'] = async (into, position) => {
            const most = Math.min(into.length, portions.next().value as number);
            const part = bytes.subarray(position, position + most);
            into.set(part);
            return part.length;
          };
          const content = await contentOf({ size, mode: 0o644, read, close: async () => {} });
          expect(content).toEqual(Buffer.from(bytes));
        },
      ),
      propertyRuns(200),
    );
  });

  test('a file that has not grown is read into one buffer', async () => {
    const sizes: number[] = [];
    const read: OpenFile['read'] = async (into, position) => {
      sizes.push(into.length);
      return position === 0 ? 10 : 0;
    };
    await contentOf({ size: 10, mode: 0o644, read, close: async () => {} });
    expect(sizes).toEqual([11, 1]);
  });
});
