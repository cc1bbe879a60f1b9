import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { localFiles } from '../../src/exec/local-files.js';
import { changesOf } from './changes-of.js';
import { PLAIN_USER } from '../sandbox/staging/users.js';
import { forPlainUser, grounds, owner } from './grounds.js';

describe('undo', () => {
  test('takes back the latest call, then the one before it, until there is none', async () => {
    const { change, log, tree, at } = grounds({ a: '0' });
    await change('1', { a: ['0', '1'] });
    await change('2', { a: ['1', '2'], b: [undefined, '2'] });
    await change('2', { a: ['2', '3'] });
    expect(await log.undo()).toMatchObject({ kind: 'undone', entries: [{ callId: '2' }, { callId: '2' }] });
    expect(tree()).toEqual({ a: '1' });
    expect(await log.undo()).toMatchObject({ kind: 'undone', files: [{ path: at('a'), change: 'modified' }] });
    expect(tree()).toEqual({ a: '0' });
    expect(await log.undo()).toEqual({ kind: 'nothing', reason: 'there is nothing to undo in this workspace' });
  });

  test('takes back a call by its id, or by that of an entry, if no later one builds on it', async () => {
    const { change, log, tree, at } = grounds({ a: '0', b: '0' });
    await change('1', { a: ['0', '1'] });
    await change('2', { b: ['0', '2'] });
    await change('3', { b: ['2', '3'] });
    expect(await log.undo({ call: '1' })).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual({ a: '0', b: '3' });
    expect(await log.undo({ call: '2' })).toEqual({
      kind: 'refused',
      reason: `nothing was put back: ${at('b')} was changed again by title of 3 (call 3); undo that first`,
      paths: [at('b')],
    });
    const entry = (await log.list()).find((each) => each.callId === '3')?.id ?? '';
    expect(await log.undo({ call: entry })).toMatchObject({ kind: 'undone' });
    expect(await log.undo({ call: '2' })).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual({ a: '0', b: '0' });
  });

  test('says when there is no such call, or when it is undone already', async () => {
    const { change, log } = grounds();
    await change('1', { a: [undefined, '1'] });
    await log.undo();
    expect(await log.undo({ call: '1' })).toEqual({
      kind: 'nothing',
      reason: 'what call 1 did has been undone already',
    });
    expect(await log.undo({ call: '7' })).toMatchObject({
      kind: 'nothing',
      reason: expect.stringContaining('no change'),
    });
    expect(await log.undo({ turn: 't' })).toMatchObject({
      kind: 'nothing',
      reason: expect.stringContaining('already'),
    });
    expect(await log.undo({ turn: 'x' })).toMatchObject({
      kind: 'nothing',
      reason: expect.stringContaining('no change'),
    });
  });

  test('takes back a turn as a whole, commands and all', async () => {
    const { change, command, log, tree, cwd, at } = grounds({ a: '0' });
    await log.recording(owner('0', 'earlier'), localFiles).change(changesOf(at, { kept: [undefined, 'k'] }));
    await change('1', { a: ['0', '1'], 'd/n': [undefined, 'n'] });
    await command('2', () => writeFileSync(path.join(cwd, 'a'), '2'));
    await change('3', { 'd/n': ['n', undefined] });
    expect(await log.undo({ turn: 't' })).toMatchObject({ kind: 'undone', entries: [{}, {}, {}] });
    expect(tree()).toEqual({ a: '0', kept: 'k' });
    expect((await log.list()).filter((each) => each.undoneBy !== undefined)).toHaveLength(3);
  });

  test('refuses when somebody else has changed a file since, naming each, and changes nothing', async () => {
    const { change, log, tree, cwd, at } = grounds({ a: '0', b: '0', c: '0' });
    await change('1', { a: ['0', '1'], b: ['0', '1'], c: ['0', '1'] });
    writeFileSync(path.join(cwd, 'a'), 'by hand');
    rmSync(path.join(cwd, 'b'));
    expect(await log.undo()).toEqual({
      kind: 'refused',
      reason: `nothing was put back: ${at('a')} is not as the call left it; ${at('b')} is not as the call left it`,
      paths: [at('a'), at('b')],
    });
    expect(tree()).toEqual({ a: 'by hand', c: '1' });
  });

  test('refuses a turn in the middle of which somebody else has changed a file', async () => {
    const { change, log, cwd, at, tree } = grounds({ a: '0' });
    await change('1', { a: ['0', '1'] });
    writeFileSync(path.join(cwd, 'a'), 'by hand');
    await change('2', { a: ['by hand', '2'] });
    expect(await log.undo({ turn: 't' })).toMatchObject({ kind: 'refused', paths: [at('a')] });
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual({ a: 'by hand' });
  });

  test('leaves a mode alone that the change did not touch, and refuses where it did', async () => {
    const { change, log, cwd, at, tree } = grounds({ a: '0', b: '0' });
    await change('1', { a: ['0', '1'] });
    chmodSync(path.join(cwd, 'a'), 0o755);
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toMatchObject({ a: '0 755' });
    const [before, after] = [0o644, 0o600].map((mode) => ({ kind: 'file' as const, content: Buffer.from('0'), mode }));
    if (before && after) await log.recording(owner('2'), localFiles).change([{ path: at('b'), before, after }]);
    chmodSync(path.join(cwd, 'b'), 0o700);
    expect(await log.undo()).toMatchObject({ kind: 'refused', paths: [at('b')] });
  });

  test('keeps a folder that it made when there is something else in it by now', async () => {
    const { change, log, cwd, tree } = grounds();
    await change('1', { 'd/e/f': [undefined, '1'] });
    writeFileSync(path.join(cwd, 'd/other'), 'x');
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual({ d: '/', 'd/other': 'x' });
  });

  test('refuses where a folder is in the way that is not empty', async () => {
    const { change, log, cwd, at, tree } = grounds({ a: 'file' });
    await change('1', { a: ['file', undefined], 'a/b': [undefined, 'b'] });
    writeFileSync(path.join(cwd, 'a/other'), 'x');
    expect(await log.undo()).toMatchObject({ kind: 'refused', paths: [at('a')] });
    rmSync(path.join(cwd, 'a/other'));
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual({ a: 'file' });
  });

  test('names the file that cannot be changed', async () => {
    const { change, log, at, tree } = forPlainUser({ 'd/a': '0', b: '0' });
    await PLAIN_USER.act(async () => {
      await change('1', { 'd/a': ['0', '1'], b: ['0', '1'] });
      chmodSync(at('d'), 0o555);
      expect(await log.undo()).toEqual({
        kind: 'refused',
        reason: `nothing was put back: ${at('d/a')}: permission denied`,
        paths: [at('d/a')],
      });
      chmodSync(at('d'), 0o755);
    });
    expect(tree()).toEqual({ d: '/', 'd/a': '1', b: '1' });
  });

  test('works for a later run of another program', async () => {
    const { change, another, tree } = grounds({ a: '0' });
    await change('1', { a: ['0', '1'] });
    expect(await another().undo()).toMatchObject({ kind: 'undone' });
    expect(await another().redo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual({ a: '1' });
  });
});

describe('redo', () => {
  test('takes back the latest undo, then the one before it', async () => {
    const { change, log, tree } = grounds({ a: '0' });
    await change('1', { a: ['0', '1'] });
    await change('2', { a: ['1', '2'] });
    for (let round = 0; round < 3; round++) {
      await log.undo();
      await log.undo();
      expect(tree()).toEqual({ a: '0' });
      await log.redo();
      expect(tree()).toEqual({ a: '1' });
      await log.redo();
      expect(tree()).toEqual({ a: '2' });
      expect(await log.redo()).toMatchObject({ kind: 'nothing' });
    }
  });

  test('refuses when the files have been changed since', async () => {
    const { change, log, at } = grounds({ a: '0' });
    await change('1', { a: ['0', '1'] });
    await log.undo();
    await change('2', { a: ['0', '2'] });
    expect(await log.redo()).toMatchObject({ kind: 'refused', paths: [at('a')] });
  });

  test('brings back a turn that came to nothing as well', async () => {
    const { change, log, tree } = grounds();
    await change('1', { a: [undefined, '1'] });
    await change('2', { a: ['1', undefined] });
    expect(await log.undo({ turn: 't' })).toMatchObject({ kind: 'undone', files: [] });
    expect(await log.undo()).toMatchObject({ kind: 'nothing' });
    const undo = (await log.list())[0]?.id ?? '';
    expect(await log.undo({ call: undo })).toMatchObject({ kind: 'undone' });
    expect(await log.undo({ turn: 't' })).toMatchObject({ kind: 'undone', files: [] });
    expect(await log.redo()).toMatchObject({ kind: 'undone' });
    expect(await log.undo()).toMatchObject({ kind: 'undone', entries: [{ callId: '2' }] });
    expect(tree()).toEqual({ a: '1' });
  });
});

describe('the diff', () => {
  test('is what a turn comes to, up to now, without what was undone', async () => {
    const { change, log, at, cwd } = grounds({ a: 'one\ntwo\n', gone: 'x\n' });
    await log.recording(owner('0', 'earlier'), localFiles).change(changesOf(at, { other: [undefined, 'o'] }));
    await change('1', { a: ['one\ntwo\n', 'one\n2\n'] });
    await change('2', { a: ['one\n2\n', 'one\nTWO\n'], gone: ['x\n', undefined] });
    await change('3', { undone: [undefined, 'u'] });
    await log.undo();
    writeFileSync(path.join(cwd, 'a'), 'one\nTWO\nby hand\n');
    expect(await log.diff({ turn: 't' })).toEqual({
      text: [
        'diff --git a/a b/a',
        '--- a/a',
        '+++ b/a',
        '@@ -1,2 +1,3 @@',
        ' one',
        '-two',
        '+TWO',
        '+by hand',
        'diff --git a/gone b/gone',
        'deleted file mode 100644',
        '--- a/gone',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
        '',
      ].join('\n'),
      leftOut: [],
    });
    expect((await log.diff({ turn: 'earlier' })).text).toContain('+++ b/other');
    expect((await log.diff({ call: '2' })).text).toContain('-2\n');
    expect((await log.diff({ call: 'none' })).text).toBe('');
  });

  test('is by default what an undo would take back', async () => {
    const { change, log, tree } = grounds({ a: '0\n' });
    await change('1', { a: ['0\n', '1\n'] });
    await change('2', { a: ['1\n', '2\n'], b: [undefined, '2\n'] });
    await change('3', { c: [undefined, '3\n'] });
    await log.undo();
    const { text } = await log.diff();
    expect(text).toContain('@@ -1 +1 @@\n-1\n+2\n');
    expect(text).toContain('+++ b/b');
    expect(await log.undo()).toMatchObject({ kind: 'undone', entries: [{ callId: '2' }] });
    expect(tree()).toEqual({ a: '1\n' });
    await log.undo({ call: '1' });
    expect(await log.diff()).toEqual({ text: '', leftOut: [] });
  });

  test('says what a command did that is not known', async () => {
    const { command, log, cwd } = grounds({ a: 'a' }, { limits: { entries: 2, fileBytes: 9, totalBytes: 99 } });
    await command('1', () => ['a', 'b', 'c'].forEach((name) => writeFileSync(path.join(cwd, name), 'x')));
    expect((await log.diff()).leftOut).toEqual([{ path: '.', reason: expect.stringContaining('more than 2') }]);
  });
});

test('an entry that cannot be read is passed over', async () => {
  const { change, log, entries, changes } = grounds({ a: '0' });
  await change('1', { a: ['0', '1'] });
  await change('2', { a: ['1', '2'] });
  const [, second = ''] = entries().toSorted();
  writeFileSync(path.join(changes, second), readFileSync(path.join(changes, second)).subarray(0, 20));
  expect(await log.list()).toMatchObject([{ callId: '1' }]);
});

test('the order of entries is that in which they were made, also when the clock is set back', async () => {
  let time = Date.now();
  const { change, log, another, tree, at } = grounds({ a: '0' }, { now: () => (time -= 1000) });
  await change('1', { a: ['0', '1'] });
  await change('2', { a: ['1', '2'] });
  const later = another();
  await later.ready();
  await later.recording(owner('3'), localFiles).change(changesOf(at, { a: ['2', '3'] }));
  expect((await log.list()).map((each) => each.callId)).toEqual(['3', '2', '1']);
  await log.undo();
  await later.undo();
  expect(tree()).toEqual({ a: '1' });
});
