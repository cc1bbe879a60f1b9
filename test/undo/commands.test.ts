import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { localFiles } from '../../src/exec/local-files.js';
import { PLAIN_USER } from '../sandbox/staging/users.js';
import { changesOf } from './changes-of.js';
import { forPlainUser, grounds, owner } from './grounds.js';

const LIMITS = { entries: 2000, fileBytes: 1024 * 1024, totalBytes: 16 * 1024 * 1024 };

describe('a command', () => {
  test('is recorded with all that it did, and all of it can be undone', async () => {
    const { cwd, command, log, tree, at } = grounds({
      a: 'a',
      'd/b': 'b',
      'd/c': 'c',
      l: '->a',
      tool: 't',
      empty: '/',
      k: 'k',
    });
    const before = tree();
    await command('1', () => {
      const script = `echo more >> a; rm -r d; ln -sfn tool l; chmod 755 tool; rmdir empty; mkdir -p n/e; echo n > n/f
        rm k; mkdir k; echo x > k/x; touch -d '2001-01-01' tool`;
      expect(spawnSync('sh', ['-ec', script], { cwd }).status).toBe(0);
    });
    const [entry] = await log.list();
    expect(Object.fromEntries(entry?.files.map((file) => [path.relative(cwd, file.path), file.change]) ?? [])).toEqual({
      a: 'modified',
      d: 'deleted',
      'd/b': 'deleted',
      'd/c': 'deleted',
      l: 'modified',
      tool: 'mode-changed',
      empty: 'deleted',
      k: 'modified',
      'k/x': 'added',
      n: 'added',
      'n/e': 'added',
      'n/f': 'added',
    });
    const result = await log.undo();
    expect(result).toMatchObject({ kind: 'undone', uncovered: [] });
    expect(result.kind === 'undone' && result.files).toContainEqual({ path: at('k'), change: 'modified' });
    expect(tree()).toEqual(before);
    await log.redo();
    expect(tree()).toMatchObject({ a: 'amore\n', 'k/x': 'x\n', 'n/f': 'n\n' });
  });

  test('that changes nothing leaves no record, nor does one that only touches files', async () => {
    const { cwd, command, log } = grounds({ a: 'a' });
    await command('1', () => {});
    await command('2', () => utimesSync(path.join(cwd, 'a'), 1, 1));
    expect(await log.list()).toEqual([]);
  });

  test('has not done what people did before it', async () => {
    const { cwd, command, log, at } = grounds({ a: 'a', b: 'b' });
    await command('1', () => {});
    writeFileSync(path.join(cwd, 'a'), 'by hand');
    await command('2', () => writeFileSync(path.join(cwd, 'b'), 'by command'));
    expect((await log.list())[0]?.files).toEqual([{ path: at('b'), change: 'modified' }]);
  });

  test('has not done what was recorded while it ran', async () => {
    const { command, log, at, cwd } = grounds({ a: 'a' });
    await log.aroundCommand(owner('1'), async () => {
      await log.recording(owner('2'), localFiles).change(changesOf(at, { a: ['a', 'b'], 'd/n': [undefined, 'n'] }));
      writeFileSync(path.join(cwd, 'own'), 'x');
    });
    await command('3', () => {});
    const list = await log.list();
    expect(list.map((each) => [each.callId, each.files.map((file) => file.path)])).toEqual([
      ['1', [at('own')]],
      ['2', [at('a'), at('d/n'), at('d')]],
    ]);
  });

  test('is recorded when it fails, too', async () => {
    const { cwd, log } = grounds();
    const failed = log.aroundCommand(owner('1'), async () => {
      writeFileSync(path.join(cwd, 'a'), 'a');
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    expect(await log.list()).toMatchObject([{ callId: '1', files: [{ change: 'added' }] }]);
  });

  test('that overlaps with another loses nothing: each change is recorded once', async () => {
    const { cwd, log, tree } = grounds({ a: 'a' });
    const before = tree();
    const gate = deferred();
    const first = log.aroundCommand(owner('1'), async () => {
      writeFileSync(path.join(cwd, 'a'), '1');
      await gate.promise;
      writeFileSync(path.join(cwd, 'late'), '1');
    });
    await log.aroundCommand(owner('2'), async () => writeFileSync(path.join(cwd, 'b'), '2'));
    gate.resolve();
    await first;
    const names = (await log.list()).map(({ files }) => files.map((file) => path.basename(file.path)));
    expect(names).toEqual([['late'], ['a', 'b']]);
    await log.undo({ turn: 't' });
    expect(tree()).toEqual(before);
  });

  test('is seen to change a file twice within one tick of the clock', async () => {
    const { cwd, command, log } = grounds();
    const file = path.join(cwd, 'a');
    for (let round = 0; round < 20; round++) {
      writeFileSync(file, `0${round % 10}`);
      await command(`${round}`, () => writeFileSync(file, `1${round % 10}`));
    }
    expect(await log.list()).toHaveLength(20);
  });

  test('may take the whole workspace away', async () => {
    const { cwd, command, log, tree } = grounds({ a: 'a', 'd/b': 'b' });
    const before = tree();
    await command('1', () => rmSync(cwd, { recursive: true }));
    mkdirSync(cwd);
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual(before);
  });

  test('has neither made nor deleted what is in a folder that it opened or shut', async () => {
    const { command, log, at } = forPlainUser({ 'shut/a/b': 'x', 'open/a/b': 'x' });
    chmodSync(at('shut'), 0);
    await PLAIN_USER.act(async () => {
      await command('1', () => {
        chmodSync(at('shut'), 0o755);
        chmodSync(at('open'), 0);
      });
      expect((await log.list())[0]?.files).toEqual([
        { path: at('open'), change: 'mode-changed' },
        { path: at('shut'), change: 'mode-changed' },
      ]);
      chmodSync(at('open'), 0o755);
    });
  });

  test('that made files read-only, or replaced such, can be undone and made again', async () => {
    const { command, log, at, tree } = forPlainUser({ a: 'a', b: 'b' });
    chmodSync(at('b'), 0o444);
    const before = tree();
    await PLAIN_USER.act(async () => {
      await command('1', () => {
        writeFileSync(at('a'), 'new a');
        chmodSync(at('a'), 0o444);
        writeFileSync(at('c'), 'new b', { mode: 0o444 });
        renameSync(at('c'), at('b'));
      });
      expect(await log.undo()).toMatchObject({ kind: 'undone' });
      expect(tree()).toEqual(before);
      expect(await log.redo()).toMatchObject({ kind: 'undone' });
      expect(tree()).toEqual({ a: 'new a 444', b: 'new b 444' });
    });
  });

  test('that made a file read-only does not let tools replace it, unless they change its mode', async () => {
    const { change, log, at, tree } = forPlainUser({ a: 'a' });
    chmodSync(at('a'), 0o444);
    await PLAIN_USER.act(async () => {
      await expect(change('1', { a: ['a', 'b'] })).rejects.toThrow(/permission denied/);
      const [before, after] = [0o444, 0o644].map((mode) => ({
        kind: 'file' as const,
        content: Buffer.from('a'),
        mode,
      }));
      if (before && after) await log.recording(owner('2'), localFiles).change([{ path: at('a'), before, after }]);
    });
    expect(tree()).toEqual({ a: 'a' });
  });

  test('that moves folders can be undone', async () => {
    const { cwd, command, log, tree } = grounds({ 'a/b/c': '1', 'a/d': '2' });
    const before = tree();
    await command('1', () => renameSync(path.join(cwd, 'a'), path.join(cwd, 'z')));
    await log.undo();
    expect(tree()).toEqual(before);
  });
});

describe('what is not covered is said', () => {
  test('for a file whose content is too large to be kept', async () => {
    const { cwd, command, log } = grounds(
      { large: 'x'.repeat(11), small: 's' },
      { limits: { ...LIMITS, fileBytes: 10 } },
    );
    await command('1', () => {
      writeFileSync(path.join(cwd, 'large'), 'changed');
      writeFileSync(path.join(cwd, 'small'), 'changed');
    });
    const text = 'what was in large before was not kept';
    expect(await log.list()).toMatchObject([{ uncovered: text, files: [{ change: 'modified' }] }]);
    expect(await log.undo()).toMatchObject({ kind: 'undone', uncovered: [`title of 1: ${text}`] });
  });

  test('for a workspace that is too large, at which nobody looks any more', async () => {
    const { cwd, command, log } = grounds({ a: 'a', 'd/b': 'b' }, { limits: { ...LIMITS, entries: 2 } });
    await command('1', () => rmSync(path.join(cwd, 'd/b')));
    await command('2', () => writeFileSync(path.join(cwd, 'a'), 'changed'));
    const text = 'the workspace has more than 2 files and folders, so not all that the command changed is known';
    expect(await log.list()).toMatchObject([{ callId: '2', uncovered: text, files: [] }]);
    expect((await log.diff()).leftOut).toEqual([{ path: '.', reason: text }]);
    expect(await log.undo()).toEqual({
      kind: 'nothing',
      reason: `there is nothing to undo in this workspace; ${text}`,
    });
  });

  test('for one that has become too large, with what was still seen', async () => {
    const { cwd, command, log, tree } = grounds({ a: 'a' }, { limits: { ...LIMITS, entries: 2 } });
    await command('1', () => {
      writeFileSync(path.join(cwd, 'a'), 'changed');
      for (const name of ['b', 'c']) writeFileSync(path.join(cwd, name), name);
    });
    expect(await log.undo()).toMatchObject({
      kind: 'undone',
      uncovered: [expect.stringContaining('more than 2 files')],
    });
    expect(tree()).toEqual({ a: 'a', b: 'b', c: 'c' });
  });

  test('once for all commands that it is said of, so that nothing else has to give way to them', async () => {
    const { cwd, change, command, another, log, entries, tree } = grounds(
      { a: '0', b: 'b' },
      { limits: { ...LIMITS, entries: 1 } },
    );
    await command('early', () => {});
    await change('1', { a: ['0', '1'] });
    for (let round = 0; round < 510; round++) await command(`${round}`, () => {});
    await another().aroundCommand(owner('last'), async () => writeFileSync(path.join(cwd, 'c'), 'c'));
    expect(entries()).toHaveLength(2);
    expect((await log.list()).map((each) => [each.callId, each.files.length])).toEqual([
      ['last', 0],
      ['1', 1],
    ]);
    const text = 'the workspace has more than 1 files and folders, so not all that the command changed is known';
    const uncovered = [`title of last: ${text}`];
    expect(await log.undo()).toMatchObject({ kind: 'undone', entries: [{ callId: '1' }], uncovered });
    expect(tree()).toEqual({ a: '0', b: 'b', c: 'c' });
    expect(await log.undo()).toEqual({
      kind: 'nothing',
      reason: `there is nothing to undo in this workspace; ${text}`,
    });
    expect(await log.diff()).toEqual({ text: '', leftOut: [{ path: '.', reason: text }] });
    expect(await log.undo({ call: 'last' })).toEqual({
      kind: 'nothing',
      reason: `nothing that call last changed is on record; ${text}`,
    });
  });

  test('only as far as it was after what is undone', async () => {
    const { cwd, change, command, log } = grounds({ a: '0' });
    await command('1', () => void spawnSync('mkfifo', [path.join(cwd, 'pipe')]));
    await change('2', { a: ['0', '1'] });
    await command('3', () => mkdirSync(path.join(cwd, 'node_modules')));
    expect(await log.undo()).toMatchObject({
      kind: 'undone',
      uncovered: ['title of 3: changes in node_modules are not kept'],
    });
  });

  test('when all contents together are too large', async () => {
    const { cwd, command, log } = grounds({ a: 'aaaa', b: 'bbbb' }, { limits: { ...LIMITS, totalBytes: 4 } });
    await command('1', () => ['a', 'b'].forEach((name) => writeFileSync(path.join(cwd, name), 'x')));
    expect(await log.list()).toMatchObject([
      { uncovered: expect.stringMatching(/^what was in [ab] before was not kept$/), files: [{}] },
    ]);
  });

  test('for folders that programs make', async () => {
    const { cwd, command, log, at } = grounds({ 'node_modules/x/i.js': '1', '.git/HEAD': 'ref' });
    await command('1', () => writeFileSync(path.join(cwd, '.git/index'), 'x'));
    await command('2', () => writeFileSync(path.join(cwd, 'node_modules/y'), 'x'));
    await command('3', () => {
      writeFileSync(path.join(cwd, '.git/ORIG_HEAD'), 'x');
      writeFileSync(path.join(cwd, 'a'), 'x');
    });
    expect(await log.list()).toMatchObject([
      { callId: '3', files: [{ path: at('a') }], uncovered: 'changes in .git are not kept' },
      { callId: '2', files: [], uncovered: 'changes in node_modules are not kept' },
    ]);
  });

  test('for what is neither file, link nor folder', async () => {
    const { cwd, command, log } = grounds({ a: 'a' });
    await command('1', () => void spawnSync('mkfifo', [path.join(cwd, 'pipe')]));
    expect(await log.list()).toMatchObject([{ files: [], uncovered: 'what was in pipe before was not kept' }]);
  });

  test('when it cannot be written down, to whoever listens; the output is not lost over it', async () => {
    const { cwd, log, changes, events } = grounds();
    mkdirSync(path.dirname(changes), { recursive: true });
    writeFileSync(changes, 'in the way');
    const value = await log.aroundCommand(owner('1'), async () => {
      writeFileSync(path.join(cwd, 'a'), 'a');
      return 'output';
    });
    expect(value).toBe('output');
    expect(events).toEqual([{ type: 'changes.unrecorded', callId: '1', reason: expect.stringContaining('ENOTDIR') }]);
  });
});

test('a large new file is known by its time, and not removed when it was changed since', async () => {
  const { cwd, command, log } = grounds({}, { limits: { ...LIMITS, fileBytes: 10 } });
  const large = path.join(cwd, 'large');
  await command('1', () => writeFileSync(large, 'x'.repeat(20)));
  writeFileSync(large, 'y'.repeat(20));
  utimesSync(large, 1, 1);
  expect(await log.undo()).toMatchObject({ kind: 'refused', paths: [large] });
  chmodSync(large, 0o600);
  symlinkSync('large', path.join(cwd, 'link'));
  await command('2', () => writeFileSync(path.join(cwd, 'large2'), 'x'.repeat(20)));
  expect(await log.undo()).toMatchObject({ kind: 'undone', files: [{ change: 'deleted' }] });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
