/** Others may change names between any two looks: a record must never lead anywhere but where its change was made. */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { FileProblem } from '../../src/core/file-problem.js';
import { filesWith } from '../../src/core/files-with.js';
import type { FileChange } from '../../src/core/files.js';
import { localFiles } from '../../src/exec/local-files.js';
import { withFolder } from '../../src/undo/with-folder.js';
import { commandRuntime } from '../support/commands.js';
import { functionCall } from '../support/runtime.js';
import { tempFolder } from '../support/temp-folder.js';
import { changesOf } from './changes-of.js';
import { grounds, owner } from './grounds.js';

const DELETE = '*** Begin Patch\n*** Delete File: d/keys\n*** End Patch';

function ground() {
  const [outside, runtime] = [tempFolder(), commandRuntime()];
  const at = (name: string): string => path.join(runtime.folder, name);
  mkdirSync(at('d'));
  writeFileSync(at('d/keys'), 'mine\n');
  return {
    runtime,
    at,
    outside,
    patch: (input: string) => runtime.runCall({ id: 'one', name: 'apply_patch', payload: { kind: 'custom', input } }),
    /** What was a folder of the workspace leads out of it now. */
    swap: () => {
      renameSync(at('d'), at('d2'));
      symlinkSync(outside, at('d'));
    },
  };
}

test('an undo does not write through a folder that has become a link', async () => {
  const { runtime, outside, patch, swap } = ground();
  await patch(DELETE);
  swap();
  expect((await runtime.undo({ call: 'one' })).kind).toBe('refused');
  expect(readdirSync(outside)).toEqual([]);
});

test('nor does it replace a file there, whose content somebody has guessed', async () => {
  const { runtime, outside, patch, swap } = ground();
  await patch('*** Begin Patch\n*** Update File: d/keys\n@@\n-mine\n+known\n*** End Patch');
  writeFileSync(path.join(outside, 'keys'), 'known\n');
  swap();
  expect((await runtime.undo()).kind).toBe('refused');
  expect(readFileSync(path.join(outside, 'keys'), 'utf8')).toBe('known\n');
});

test('nor does what puts a change right that was cut short', async () => {
  const { runtime, at, outside, patch, swap } = ground();
  writeFileSync(at('e'), '1\n');
  await patch(DELETE.replace('*** End', '*** Update File: e\n@@\n-1\n+2\n*** End'));
  await runtime.close();
  makePending(at('.home/changes'));
  writeFileSync(at('e'), '1\n');
  swap();
  const later = commandRuntime({ cwd: runtime.folder, home: at('.home') });
  await later.runCall({ name: 'read_file', payload: functionCall({ path: 'e' }) });
  expect(later.record.of('changes.recovered')).toMatchObject([{ result: 'left' }]);
  expect(readdirSync(outside)).toEqual([]);
});

/** As if the process had been killed before it could say that all was done. */
function makePending(changes: string): void {
  const [log = ''] = readdirSync(changes);
  const [entry = ''] = readdirSync(path.join(changes, log));
  const file = path.join(changes, log, entry);
  const { by } = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '') as { by: string };
  const gone = by.replace(/^\d+/, '4194305');
  renameSync(file, path.join(changes, log, entry.replace('.change', `@${gone}.pending`)));
}

describe('a change that is recorded', () => {
  test('is made at the names that are on record, whatever links lead there', async () => {
    const { log, at } = grounds({ 'real/a': 'old' });
    symlinkSync(at('real'), at('link'));
    const asked: string[] = [];
    const watched = filesWith(localFiles, {
      async change(changes) {
        asked.push(...changes.map((each) => each.path));
        await localFiles.change(changes);
      },
    });
    await log.recording(owner('1'), watched).change(changesOf(at, { 'link/a': ['old', 'new'] }));
    const [entry] = await log.list();
    expect(asked).toEqual([at('real/a')]);
    expect(entry?.files.map((file) => file.path)).toEqual(asked);
  });

  test('is put right with the rights of whoever made it, and no others', async () => {
    const { log, at, tree } = grounds({ a: 'old a', b: 'old b' });
    const before = tree();
    const made: (readonly FileChange[])[] = [];
    const failing = filesWith(localFiles, {
      async change(changes) {
        made.push(changes);
        if (made.length > 1) return localFiles.change(changes);
        await localFiles.change(changes.slice(0, 1));
        throw new FileProblem('torn', at('b'));
      },
    });
    const changes = changesOf(at, { a: ['old a', 'new a'], b: ['old b', 'new b'] });
    await expect(log.recording(owner('1'), failing).change(changes)).rejects.toThrow(FileProblem);
    expect(made).toHaveLength(2);
    expect(tree()).toEqual(before);
  });

  test('that cannot even be begun leaves no trace', async () => {
    const { log, at } = grounds({});
    symlinkSync('d', at('d'));
    await expect(
      log.recording(owner('1'), localFiles).change(changesOf(at, { 'd/e': [undefined, 'x'] })),
    ).rejects.toThrow(FileProblem);
    expect(await log.list()).toEqual([]);
  });

  test('of two names for one file is refused before anything is written', async () => {
    const { log, at, tree } = grounds({ 'real/a': 'old' });
    symlinkSync(at('real'), at('link'));
    const before = tree();
    const twice = changesOf(at, { 'link/a': ['old', '1'], 'real/a': ['old', '2'] });
    await expect(log.recording(owner('1'), localFiles).change(twice)).rejects.toThrow(/the same file/);
    expect(tree()).toEqual(before);
    expect(await log.list()).toEqual([]);
  });
});

test('a folder is looked into only where its own name leads', () => {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'real/below'), { recursive: true });
  symlinkSync('real', path.join(folder, 'link'));
  const looked = (name: string): boolean => withFolder(path.join(folder, name), () => {});
  expect(['real', 'real/below', 'link', 'link/below', 'gone'].map(looked)).toEqual([true, true, false, false, true]);
});

test.each(['folder', 'file'])('a %s in the place of the lock stops nobody, and stays', async (kind) => {
  const { runtime, at } = ground();
  if (kind === 'folder') mkdirSync(at('.tenon-lock'));
  else writeFileSync(at('.tenon-lock'), 'mine');
  const call = { name: 'write_file', payload: functionCall({ path: 'new', content: 'x' }) };
  expect((await runtime.runCall(call)).answer.success).toBe(true);
  expect(existsSync(at('.tenon-lock'))).toBe(true);
});
