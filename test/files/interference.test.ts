/** Somebody else at work at the worst moment: right before names change, which is when folders are asked where they are. */
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';

import { BY_DESCRIPTOR } from '../../src/files/anchor.js';
import { confinedFiles } from '../../src/sandbox/files/confined-files.js';
import { NOTHING_ALLOWED } from '../../src/sandbox/policy.js';
import { placeAt } from '../sandbox/files/grounds.js';
import { PLAIN_USER } from '../sandbox/staging/users.js';
import { ABSENT, file, layGround } from './ground.js';

/** `meanwhile` is done once, when the folder of this name is asked for the so many-th time. */
function interrupted(folder: string, time: number, meanwhile: () => void) {
  let asked = 0;
  return layGround((top) =>
    confinedFiles(
      () => Promise.resolve({ ...NOTHING_ALLOWED, writable: [placeAt(top)] }),
      () => {},
      {
        ...BY_DESCRIPTOR,
        async nameOf(handle, at) {
          const name = await BY_DESCRIPTOR.nameOf(handle, at);
          if (name.endsWith(`/${folder}`)) asked += 1;
          if (name.endsWith(`/${folder}`) && asked === time) meanwhile();
          return name;
        },
      },
    ),
  );
}

const SET = [
  ['one/a', file('a'), file('A')],
  ['one/new', ABSENT, file('n')],
  ['two/b', file('b'), file('B')],
] as const;
const BEFORE = { 'one/a': 'a', 'two/b': 'b' };

describe.runIf(process.platform === 'linux')('right before the second folder gets its names', () => {
  const story = (act: (at: (name: string) => string) => void) => {
    const ground = interrupted('two', 2, () => act(ground.at));
    ground.lay(BEFORE);
    return ground;
  };

  test('an editor saves over a file: its text stays, and nothing else is changed', async () => {
    const { change, tree } = story((at) => {
      fs.writeFileSync(at('two/saving'), 'mine');
      fs.renameSync(at('two/saving'), at('two/b'));
    });
    expect([await change(...SET), tree()]).toEqual(['changed', { ...BEFORE, 'two/b': 'mine' }]);
  });

  test('an editor writes into a file, as much as there was', async () => {
    const { change, tree } = story((at) => fs.writeFileSync(at('two/b'), 'x'));
    expect([await change(...SET), tree()]).toEqual(['changed', { ...BEFORE, 'two/b': 'x' }]);
  });

  test('an editor writes into a file that has been replaced already', async () => {
    let open = 0;
    const { change, tree, at } = story(() => {
      fs.writeSync(open, 'late', 0);
      fs.closeSync(open);
    });
    open = fs.openSync(at('one/a'), 'r+');
    expect([await change(...SET), tree()]).toEqual(['changed', { ...BEFORE, 'one/a': 'late' }]);
  });

  test('the same text is saved anew with another mode: that mode is kept', async () => {
    const { change, tree, at } = story((name) => fs.chmodSync(name('two/b'), 0o711));
    expect([await change(...SET), tree()]).toEqual(['done', { 'one/a': 'A', 'one/new': 'n', 'two/b': 'B' }]);
    expect(fs.statSync(at('two/b')).mode & 0o777).toBe(0o711);
  });

  test('a file is deleted', async () => {
    const { change, tree } = story((at) => fs.unlinkSync(at('two/b')));
    expect([await change(...SET), tree()]).toEqual(['changed', { 'one/a': 'a', 'two/': '' }]);
  });

  test('somebody makes a file of the name', async () => {
    const { change, tree } = story((at) => fs.writeFileSync(at('two/c'), 'theirs'));
    const outcome = await change(...SET, ['two/c', ABSENT, file('ours')]);
    expect([outcome, tree()]).toEqual(['in-the-way', { ...BEFORE, 'two/c': 'theirs' }]);
  });

  test('what somebody has put in the place of the first is not overwritten, and the original is told', async () => {
    const { files, at, tree } = story((name) => {
      fs.writeFileSync(name('one/mine'), 'mine');
      fs.renameSync(name('one/mine'), name('one/a'));
      fs.unlinkSync(name('two/b'));
    });
    const changes = SET.map(([name, before, after]) => ({ path: at(name), before, after }));
    const message = await files.change(changes).then(String, String);
    const original = /one\/a \(its original is (\S+\.tmp)\)/.exec(message)?.[1] ?? '';
    expect([fs.readFileSync(original, 'utf8'), tree()['one/a'], tree()['one/new']]).toEqual(['a', 'mine', undefined]);
    expect(message).toContain('somebody else has changed it meanwhile');
  });

  test('the right to write there is lost', async () => {
    const ground = interrupted('two', 2, () => fs.chmodSync(ground.at('two'), 0o555));
    ground.lay(BEFORE);
    for (const name of ['', 'one', 'two', 'one/a', 'two/b']) {
      if (PLAIN_USER.id !== undefined) fs.chownSync(ground.at(name), PLAIN_USER.id, PLAIN_USER.id);
    }
    expect(await PLAIN_USER.act(() => ground.change(...SET))).toBe('forbidden');
    const left = Object.keys(ground.tree()).filter((name) => name.startsWith('two/.tenon-'));
    expect(ground.tree()).toMatchObject(BEFORE);
    // Where nothing can be written any more, nothing can be cleared up either.
    expect(Object.keys(ground.tree())).toEqual(['one/a', ...left, 'two/b']);
  });
});

describe('a folder or file that cannot be written to', () => {
  test('among others keeps all from being changed', async () => {
    const { change, at, tree, lay } = layGround();
    lay({ 'open/a': 'a', 'closed/b': 'b', 'open/read-only': 'r' });
    for (const name of ['', 'open', 'closed', 'open/a', 'closed/b', 'open/read-only']) {
      if (PLAIN_USER.id !== undefined) fs.chownSync(at(name), PLAIN_USER.id, PLAIN_USER.id);
    }
    fs.chmodSync(at('closed'), 0o555);
    fs.chmodSync(at('open/read-only'), 0o444);
    const before = tree();
    const first = ['open/a', file('a'), file('A')] as const;
    const outcomes = await PLAIN_USER.act(async () => [
      await change(first, ['closed/b', file('b'), file('B')]),
      await change(first, ['closed/b', file('b'), ABSENT]),
      await change(first, ['closed/deep/c', ABSENT, file('c')]),
      await change(first, ['open/read-only', file('r'), file('R')]),
    ]);
    expect([outcomes, tree()]).toEqual([Array(4).fill('forbidden'), before]);
    expect(await PLAIN_USER.act(() => change(['open/read-only', file('r'), ABSENT]))).toBe('done');
    fs.chmodSync(at('closed'), 0o755);
  });
});
