import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { Fatal } from '../../src/core/errors.js';
import { localFiles } from '../../src/exec/local-files.js';
import { changesOf } from './changes-of.js';
import { grounds, owner } from './grounds.js';

describe('files that are recorded', () => {
  test('are on record before they are changed, with what it takes to put them back', async () => {
    const { log, at, entries, changes } = grounds({ a: 'old' });
    let seen: readonly string[] = [];
    const watched = {
      ...localFiles,
      change: async (...args: Parameters<typeof localFiles.change>) => {
        seen = entries();
        expect(readFileSync(path.join(changes, seen[0] ?? ''), 'utf8')).toMatch(/\nold$/);
        return localFiles.change(...args);
      },
    };
    await log.recording(owner('1'), watched).change(changesOf(at, { a: ['old', 'new'] }));
    expect(seen).toEqual([expect.stringMatching(/^work-[0-9a-f]{16}\/[^/]+\.pending$/)]);
    expect(entries()).toEqual([expect.stringMatching(/\.change$/)]);
  });

  test('are for the user alone to read', async () => {
    const { change, changes, entries } = grounds();
    await change('1', { a: [undefined, 'a'] });
    const [entry = ''] = entries();
    const modes = [changes, path.join(changes, path.dirname(entry)), path.join(changes, entry)].map(
      (name) => statSync(name).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  test('are listed with what was done to them', async () => {
    const { change, log, at } = grounds({ a: 'old', gone: 'x' });
    await change('1', {
      a: ['old', 'new'],
      gone: ['x', undefined],
      'd/new': [undefined, 'n'],
      link: [undefined, '->a'],
    });
    expect(await log.list()).toEqual([
      {
        id: expect.any(String),
        callId: '1',
        turn: 't',
        title: 'title of 1',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        files: [
          { path: at('a'), change: 'modified' },
          { path: at('gone'), change: 'deleted' },
          { path: at('d/new'), change: 'added' },
          { path: at('link'), change: 'added' },
          { path: at('d'), change: 'added' },
        ],
      },
    ]);
  });

  test('tell whoever listens once, with a diff if that is not too long', async () => {
    const { change, events, at } = grounds({ a: 'old\n' });
    await change('1', { a: ['old\n', 'new\n'] });
    await change('2', { large: [undefined, 'x'.repeat(300_000)] });
    expect(events).toEqual([
      {
        type: 'files.changed',
        callId: '1',
        files: [{ path: at('a'), change: 'modified' }],
        diff: 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\n',
      },
      { type: 'files.changed', callId: '2', files: [{ path: at('large'), change: 'added' }] },
    ]);
  });

  test('are not changed when that cannot be recorded', async () => {
    const { change, changes, tree } = grounds({ a: 'old' });
    mkdirSync(path.dirname(changes), { recursive: true });
    writeFileSync(changes, 'in the way');
    const failed = change('1', { a: ['old', 'new'] });
    await expect(failed).rejects.toThrow(Fatal);
    await expect(failed).rejects.toThrow(
      new RegExp(
        `^the change could not be recorded, so it was not made: .*ENOTDIR.*\\. Make ${changes} writable, or switch the ` +
          String.raw`record off \(features\.undo = false\)$`,
      ),
    );
    expect(tree()).toEqual({ a: 'old' });
  });

  test('leave no record when they could not be changed, or were not', async () => {
    const { change, entries, log, events } = grounds({ a: 'old' });
    await expect(change('1', { a: ['other', 'new'], b: [undefined, 'b'] })).rejects.toThrow(/changed it meanwhile/);
    await change('2', { a: ['old', 'old'] });
    await change('3', {});
    expect({ list: await log.list(), events }).toEqual({ list: [], events: [] });
    expect(entries()).toEqual([]);
  });

  test('are known by the same name however they were reached', async () => {
    const { change, log, at, tree } = grounds({ 'real/f': 'old', folder: '->real', file: '->real/f' });
    const before = tree();
    await change('1', { 'folder/f': ['old', 'new'] });
    await change('2', { file: ['new', 'newer'] });
    const paths = (await log.list()).flatMap(({ files }) => files.map((file) => file.path));
    expect(paths).toEqual([at('real/f'), at('real/f')]);
    expect(await log.undo({ turn: 't' })).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual(before);
  });

  test('are not looked for behind a link that goes away with the same change', async () => {
    const { change, log, at, tree } = grounds({ 'real/x': 'x', link: '->real' });
    const before = tree();
    await change('1', { link: ['->real', undefined], 'link/n': [undefined, 'n'] });
    expect((await log.list())[0]?.files).toEqual([
      { path: at('link'), change: 'modified' },
      { path: at('link/n'), change: 'added' },
    ]);
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual(before);
  });

  test('come back with the modes they had', async () => {
    const { change, log, at, cwd, tree } = grounds({ tool: 'x', other: 'y' });
    chmodSync(path.join(cwd, 'tool'), 0o751);
    const before = tree();
    await change('1', { tool: ['x', undefined] });
    await log.recording(owner('2'), localFiles).change([
      {
        path: at('other'),
        before: { kind: 'file', content: Buffer.from('y') },
        after: { kind: 'file', content: Buffer.from('y'), mode: 0o700 },
      },
    ]);
    expect((await log.list())[0]?.files).toEqual([{ path: at('other'), change: 'mode-changed' }]);
    await log.undo({ turn: 't' });
    expect(tree()).toEqual(before);
  });
});

describe('work on names that are known', () => {
  test('is recorded with what it came to', async () => {
    const { log, at, cwd, tree, events } = grounds({ a: 'old', b: 'b' });
    const before = tree();
    const result = await log.aroundPaths(owner('1'), ['a', 'b', 'd/e/new'].map(at), async () => {
      writeFileSync(path.join(cwd, 'a'), 'new');
      mkdirSync(path.join(cwd, 'd/e'), { recursive: true });
      writeFileSync(path.join(cwd, 'd/e/new'), 'n');
      return 'result';
    });
    expect(result).toBe('result');
    expect((await log.list())[0]?.files.map((file) => file.path)).toEqual(['a', 'd/e/new', 'd/e', 'd'].map(at));
    expect(events).toMatchObject([{ type: 'files.changed', diff: expect.stringContaining('+n') }]);
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual(before);
  });

  test('is recorded without what is too large, which is said', async () => {
    const limits = { entries: 9, fileBytes: 10, totalBytes: 15 };
    const { log, at, tree, events } = grounds({ large: 'x'.repeat(11), a: '0123456789', b: '0123456789' }, { limits });
    await log.aroundPaths(owner('1'), ['large', 'a', 'b', 'new'].map(at), async () => {
      for (const name of ['large', 'a', 'b']) writeFileSync(at(name), 'y');
      writeFileSync(at('new'), 'n'.repeat(300_000));
    });
    const text = 'what was in large, b before was not kept';
    expect(await log.list()).toMatchObject([{ uncovered: text, files: [{ path: at('a') }, { path: at('new') }] }]);
    expect(events).toEqual([expect.not.objectContaining({ diff: expect.anything() })]);
    expect(await log.undo()).toMatchObject({ kind: 'undone', uncovered: [`title of 1: ${text}`] });
    expect(tree()).toEqual({ large: 'y', a: '0123456789', b: 'y' });
    await log.aroundPaths(owner('2'), [at('large')], async () => writeFileSync(at('large'), 'x'.repeat(12)));
    await log.aroundPaths(owner('3'), [at('large')], async () => writeFileSync(at('large'), 'y'));
    expect((await log.list())[0]).toMatchObject({
      callId: '3',
      files: [],
      uncovered: expect.stringContaining('large'),
    });
  });

  test('is recorded with many files, of which no more are kept in memory than are told of', async () => {
    const { log, at, tree, events } = grounds({ a: 'a' });
    const names = Array.from({ length: 100 }, (_, index) => `d${index % 7}/${index}`);
    const before = tree();
    await log.aroundPaths(owner('1'), names.map(at), async () => {
      for (const name of names) {
        mkdirSync(path.dirname(at(name)), { recursive: true });
        writeFileSync(at(name), name.repeat(1000));
      }
    });
    expect((await log.list())[0]?.files).toHaveLength(107);
    expect(events).toEqual([expect.not.objectContaining({ diff: expect.anything() })]);
    writeFileSync(at('d3/3'), 'by hand');
    expect(await log.undo()).toMatchObject({ kind: 'refused', paths: [at('d3/3')] });
    writeFileSync(at('d3/3'), 'd3/3'.repeat(1000));
    expect(await log.undo()).toMatchObject({ kind: 'undone' });
    expect(tree()).toEqual(before);
  });

  test('is recorded also when it fails, and leaves nothing when it changes nothing', async () => {
    const { log, at, cwd, entries } = grounds({ a: 'old' });
    const failed = log.aroundPaths(owner('1'), [at('a')], async () => {
      writeFileSync(path.join(cwd, 'a'), 'new');
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    await log.aroundPaths(owner('2'), [at('a')], async () => {});
    expect((await log.list()).map((each) => each.callId)).toEqual(['1']);
    expect(entries()).toHaveLength(1);
  });
});
