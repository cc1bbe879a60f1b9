import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';

import { FileProblem } from '../../src/core/file-problem.js';
import { ABSENT, FOLDER, KINDS, file, layGround, link } from './ground.js';
import { openFiles } from '../support/open-files.js';

const modeOf = (path: string) => (fs.lstatSync(path).mode & 0o7777).toString(8);

describe.each(KINDS)('$kind', ({ filesIn }) => {
  const lay = () => layGround(filesIn);

  test('files are added, replaced and removed in one set', async () => {
    const { change, tree, lay: put } = lay();
    put({ a: 'old', b: 'b', 'd/c': 'c' });
    const outcome = await change(
      ['a', file('old'), file('new')],
      ['b', file('b'), ABSENT],
      ['d/c', file('c'), ABSENT],
      ['x/y/z', ABSENT, file('z')],
      ['x/w', ABSENT, file('w')],
    );
    expect([outcome, tree()]).toEqual(['done', { a: 'new', 'd/': '', 'x/w': 'w', 'x/y/z': 'z' }]);
  });

  test('one that cannot be made keeps all others from being made', async () => {
    const { change, tree, lay: put } = lay();
    put({ a: 'a', b: 'b', f: 'f', g: 'g', 'full/x': '', here: 'h' });
    const before = tree();
    const good = [
      ['a', file('a'), file('A')],
      ['new/deep/n', ABSENT, file('n')],
      ['b', file('b'), ABSENT],
      ['l', ABSENT, link('a')],
    ] as const;
    const bad = [
      [['f', file('other'), file('F')], 'changed'],
      [['f', ABSENT, file('F')], 'in-the-way'],
      [['f', FOLDER, ABSENT], 'changed'],
      [['f', link('a'), ABSENT], 'changed'],
      [['none', file('f'), ABSENT], 'changed'],
      [['none', file('f'), file('g')], 'changed'],
      [['full', FOLDER, ABSENT], 'broken'],
      [['full', FOLDER, file('x')], 'broken'],
      [['f/below', ABSENT, file('x')], 'missing'],
      [['here', ABSENT, FOLDER], 'in-the-way'],
      [['l/x', ABSENT, file('x')], 'in-the-way'],
      [['n'.repeat(256), ABSENT, file('x')], 'broken'],
    ] as const;
    for (const [one, kind] of bad) {
      expect([await change(...good, one), await change(one, ...good)], one[0]).toEqual([kind, kind]);
      expect(tree(), one[0]).toEqual(before);
    }
  });

  test('what was seen is compared in full, and only the content', async () => {
    const { change, at, lay: put } = lay();
    const long = 'x'.repeat(2_500_000);
    put({ a: long, b: '', l: '-> a' });
    fs.chmodSync(at('a'), 0o600);
    expect(await change(['a', file(`${long.slice(1)}y`), file('n')])).toBe('changed');
    expect(await change(['a', file(`${long}x`), file('n')])).toBe('changed');
    expect(await change(['b', file('x'), file('n')])).toBe('changed');
    expect(await change(['l', link('b'), ABSENT])).toBe('changed');
    expect(await change(['a', file(long, 0o777), file('n')])).toBe('done');
    expect(await change(['l', link('a'), link('b')])).toBe('done');
  });

  test('a file keeps its mode unless it is given another, and never the right to act as its owner', async () => {
    const { change, at, lay: put } = lay();
    put({ kept: 'a', given: 'a', special: 'a' });
    fs.chmodSync(at('kept'), 0o640);
    fs.chmodSync(at('special'), 0o6755);
    await change(
      ['kept', file('a'), file('b')],
      ['given', file('a'), file('b', 0o4755)],
      ['special', file('a'), file('b')],
      ['usual', ABSENT, file('b')],
      ['secret', ABSENT, file('b', 0o400)],
    );
    expect(['kept', 'given', 'special', 'usual', 'secret'].map((name) => modeOf(at(name)))).toEqual([
      '640',
      '755',
      '755',
      (0o666 & ~process.umask()).toString(8),
      '400',
    ]);
  });

  test('a mode alone can be changed, of files and of folders', async () => {
    const { change, at, lay: put } = lay();
    put({ a: 'a', 'd/x': '' });
    fs.chmodSync(at('d'), 0o755);
    await change(['a', file('a'), file('a', 0o755)], ['d', FOLDER, { kind: 'folder', mode: 0o700 }]);
    expect([modeOf(at('a')), modeOf(at('d'))]).toEqual(['755', '700']);
    const undone = await change(
      ['d', FOLDER, { kind: 'folder', mode: 0o711 }],
      ['n', ABSENT, { kind: 'folder', mode: 0o700 }],
      ['n', FOLDER, ABSENT],
    ).catch((error: unknown) => (error as Error).name);
    expect([undone, modeOf(at('d'))]).toEqual(['TypeError', '700']);
  });

  test('what stays the same is compared but not written', async () => {
    const { change, at, lay: put } = lay();
    put({ a: 'a', b: 'b', l: '-> a' });
    fs.chmodSync(at('a'), 0o640);
    const inode = fs.statSync(at('a')).ino;
    const same = [
      ['a', file('a'), file('a')],
      ['l', link('a'), link('a')],
      ['none', ABSENT, ABSENT],
    ] as const;
    expect(await change(...same, ['a2', ABSENT, file('x')])).toBe('done');
    expect(await change(['a', file('a'), file('a', 0o640)])).toBe('done');
    expect(fs.statSync(at('a')).ino).toBe(inode);
    expect(await change(['a', file('z'), file('z')], ['b', file('b'), file('B')])).toBe('changed');
    expect(fs.readFileSync(at('b'), 'utf8')).toBe('b');
  });

  test('a link is followed from file to file, and is a name of its own for all else', async () => {
    const { change, tree, lay: put } = lay();
    put({ 'd/a': 'a', one: '-> d/a', two: '-> one', gone: '-> d/a', turned: '-> d/a' });
    const outcome = await change(
      ['two', file('a'), file('A')],
      ['gone', link('d/a'), ABSENT],
      ['turned', link('d/a'), file('own')],
    );
    expect([outcome, tree()]).toEqual(['done', { 'd/a': 'A', one: '-> d/a', two: '-> one', turned: 'own' }]);
    expect(await change(['two', file('A'), ABSENT])).toBe('changed');
    expect(await change(['one', file('A'), file('x')], ['d/a', file('A'), file('y')])).toBe('broken');
    expect(tree()['d/a']).toBe('A');
  });

  test('files, links and folders take the places of each other', async () => {
    const { change, tree, lay: put } = lay();
    put({ file: 'f', link: '-> file', 'folder/': '', 'deep/a/b': 'b', 'deep/c': 'c', into: 'i', under: 'u' });
    const outcome = await change(
      ['file', file('f'), link('into')],
      ['link', link('file'), file('l')],
      ['folder', FOLDER, file('now a file')],
      ['deep/a/b', file('b'), ABSENT],
      ['deep/a', FOLDER, ABSENT],
      ['deep/c', file('c'), ABSENT],
      ['deep', FOLDER, link('file')],
      ['into', file('i'), { kind: 'folder', mode: 0o750 }],
      ['into/x', ABSENT, file('x')],
      ['under', file('u'), ABSENT],
      ['under/it/y', ABSENT, file('y')],
    );
    expect(outcome).toBe('done');
    expect(tree()).toEqual({
      file: '-> into',
      link: 'l',
      folder: 'now a file',
      deep: '-> file',
      'into/x': 'x',
      'under/it/y': 'y',
    });
  });

  test('all of that is put back as it was when something else is wrong', async () => {
    const { change, at, tree, lay: put } = lay();
    put({ file: 'f', link: '-> file', 'folder/': '', 'deep/a/b': 'b', into: 'i', under: 'u', 'full/x': 'x' });
    fs.chmodSync(at('folder'), 0o711);
    const before = tree();
    const inodes = ['file', 'deep/a/b', 'into', 'under'].map((name) => fs.statSync(at(name)).ino);
    const outcome = await change(
      ['file', file('f'), link('into')],
      ['link', link('file'), file('l')],
      ['folder', FOLDER, file('now a file')],
      ['deep/a/b', file('b'), ABSENT],
      ['deep/a', FOLDER, ABSENT],
      ['into', file('i'), FOLDER],
      ['into/x', ABSENT, file('x')],
      ['under', file('u'), ABSENT],
      ['under/it/y', ABSENT, file('y')],
      ['full', FOLDER, ABSENT],
    );
    expect([outcome, tree(), modeOf(at('folder'))]).toEqual(['broken', before, '711']);
    expect(['file', 'deep/a/b', 'into', 'under'].map((name) => fs.statSync(at(name)).ino)).toEqual(inodes);
  });

  test('a folder and what is in it are made together', async () => {
    const { change, at, tree } = lay();
    const outcome = await change(
      ['d/e/f', ABSENT, file('f')],
      ['d/e', ABSENT, { kind: 'folder', mode: 0o700 }],
      ['d', ABSENT, { kind: 'folder', mode: 0o750 }],
      ['empty', ABSENT, FOLDER],
    );
    expect([outcome, tree(), modeOf(at('d')), modeOf(at('d/e'))]).toEqual([
      'done',
      { 'd/e/f': 'f', 'empty/': '' },
      '750',
      '700',
    ]);
  });

  test('a folder does not go and get something new', async () => {
    const { change, tree, lay: put } = lay();
    put({ 'd/x': 'x', 'e/': '' });
    const before = tree();
    expect(await change(['d', FOLDER, file('d')], ['d/x', file('x'), FOLDER])).toBe('broken');
    expect(await change(['d', FOLDER, ABSENT], ['d/x', file('x'), ABSENT], ['d/x/y', ABSENT, file('y')])).toBe(
      'broken',
    );
    expect(await change(['e', FOLDER, link('d')], ['e/n', ABSENT, file('n')])).toBe('broken');
    expect(tree()).toEqual(before);
  });

  test('a folder that is reached by two names is emptied and removed', async () => {
    const { change, tree, lay: put } = lay();
    put({ 'real/a': 'a', 'real/b': 'b', way: '-> real' });
    const outcome = await change(['way/a', file('a'), ABSENT], ['real/b', file('b'), ABSENT], ['real', FOLDER, ABSENT]);
    expect([outcome, tree()]).toEqual(['done', { way: '-> real' }]);
  });

  test('two changes to one path are a mistake of whoever asks for them', async () => {
    const { change, tree } = lay();
    await expect(change(['a', ABSENT, file('x')], ['a', ABSENT, file('y')])).rejects.toThrow(TypeError);
    expect(tree()).toEqual({});
  });

  test('what is no file, link or folder is left alone', async () => {
    const { change, at } = lay();
    execFileSync('mkfifo', [at('pipe')]);
    expect([await change(['pipe', ABSENT, file('x')]), await change(['pipe', file(''), ABSENT])]).toEqual([
      'in-the-way',
      'changed',
    ]);
  });

  test('a problem names the path that it is about', async () => {
    const { at, files, lay: put } = lay();
    put({ a: 'a', b: 'b' });
    const changes = [
      { path: at('a'), before: file('a'), after: file('A') },
      { path: at('b'), before: file('seen'), after: file('B') },
    ];
    const error = await files.change(changes).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FileProblem);
    expect(String(error)).toContain(`${at('b')}: somebody else has changed it meanwhile`);
  });

  test('nothing at all can be changed', async () => {
    expect(await lay().change()).toBe('done');
  });

  test('many files in many folders', async () => {
    const { change, tree } = lay();
    const names = Array.from({ length: 300 }, (_, index) => `d${index % 10}/f${index}`);
    expect(await change(...names.map((name) => [name, ABSENT, file(name)] as const))).toBe('done');
    expect(await change(...names.map((name) => [name, file(name), file(`${name}+`)] as const))).toBe('done');
    expect(tree()).toEqual(Object.fromEntries(names.toSorted().map((name) => [name, `${name}+`])));
  });

  test('no descriptor is left open, whether it worked or not', async () => {
    const { change } = lay();
    const before = openFiles();
    await change(['a/b/c', ABSENT, file('c')], ['d', ABSENT, file('d')]);
    await change(['a/b/c', file('c'), file('x')], ['d', file('other'), file('y')]);
    await change(['a/b/c', file('c'), file('x')], ['a', FOLDER, ABSENT]);
    expect(openFiles()).toEqual(before);
  });
});
