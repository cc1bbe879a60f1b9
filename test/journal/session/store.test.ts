import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import type { SessionLine } from '../../../src/core/session-log.js';
import { PLAIN_USER } from '../../sandbox/staging/users.js';
import { AT, allRefused, chosen, sessions, started, turn, userSays } from './lines.js';

const NAMED: SessionLine = { type: 'session.named', at: AT, name: 'mine' };
const BETWEEN = chosen('between');
const LINES = [chosen(), ...turn('1'), NAMED, BETWEEN, ...turn('2'), started('3'), userSays('wait')];

const CREATED = { type: 'session.created', v: 1, id: 'b', version: '1.2.3' };

test('a copy begins as the other, with an id of its own', async () => {
  const store = sessions();
  store.keep('a', LINES);
  await store.fork('a', { newId: 'b', cwd: '/elsewhere' });
  const [created, ...rest] = await store.read('b');
  expect(created).toMatchObject({ ...CREATED, cwd: '/elsewhere', forkedFrom: { id: 'a', turns: 2 } });
  // Its name stays with the first.
  expect(rest).toEqual(LINES.filter((line) => line !== NAMED));
  const told = { forkedFrom: 'a', turns: 3, status: 'unfinished', cwd: '/elsewhere', preview: 'say 1' };
  expect(await store.summary('b')).toMatchObject(told);
  expect('name' in (await store.summary('b'))).toBe(false);
  expect(statSync(store.fileOf('b')).mode & 0o777).toBe(0o600);
  expect(readdirSync(store.folder).toSorted()).toEqual(['a.jsonl', 'b.jsonl', 'locks']);
});

test.each([
  [0, [chosen()]],
  [1, [chosen(), ...turn('1')]],
  [2, [chosen(), ...turn('1'), BETWEEN, ...turn('2')]],
])('a copy of the first %i turns ends with them', async (turns, lines) => {
  const store = sessions();
  store.keep('a', LINES);
  await store.fork('a', { newId: 'b', turns });
  const [created, ...rest] = await store.read('b');
  expect(created).toMatchObject({ ...CREATED, cwd: '/project', forkedFrom: { id: 'a', turns } });
  expect(rest).toEqual(lines);
});

test.each([3, -1, 0.5, Number.NaN])('there is no copy of %d turns', async (turns) => {
  const store = sessions();
  store.keep('a', LINES);
  const told = `session a cannot be copied up to turn ${turns}: 2 of its turns have ended`;
  await allRefused([store.fork('a', { newId: 'b', turns })], told);
  expect(existsSync(store.fileOf('b'))).toBe(false);
});

test('a copy has what is not known here, and only whole lines', async () => {
  const store = sessions();
  store.keep('a');
  const unknown = '{"type":"dream.had","at":"tonight"}';
  appendFileSync(store.fileOf('a'), `${unknown}\n${JSON.stringify(chosen())}`);
  await store.fork('a', { newId: 'b' });
  appendFileSync(store.fileOf('a'), '\n{"type":"settings.ch');
  await store.fork('a', { newId: 'c' });
  const expected = [JSON.stringify(chosen()), unknown, JSON.stringify(chosen()), ''];
  for (const id of ['b', 'c']) expect(store.textOf(id).split('\n').slice(1)).toEqual(expected);
});

test('a copy takes nobody else’s place', async () => {
  const store = sessions();
  store.keep('a');
  store.keep('b', [userSays('me')]);
  const before = store.textOf('b');
  await allRefused([store.fork('a', { newId: 'b' })], 'there is a session b already; give the new one another id');
  await allRefused([store.fork('a', { newId: 'a' })], 'there is a session a already');
  expect(store.textOf('b')).toBe(before);
  await store.fork('a', { newId: 'c' });
  expect(() => store.create({ id: 'c', cwd: '/project', version: '1' })).toThrow('there is a session c already');
});

test('of many copies of one id, one is made, and as a whole', async () => {
  const store = sessions();
  store.keep('a', LINES);
  const made = await Promise.all(
    Array.from({ length: 10 }, () =>
      store.fork('a', { newId: 'b' }).then(
        () => 'made',
        (error: Error) => error.message,
      ),
    ),
  );
  const refused = 'there is a session b already; give the new one another id';
  expect(made.toSorted()).toEqual(['made', ...Array.from({ length: 9 }, () => refused)].toSorted());
  expect(await store.read('b')).toHaveLength(LINES.length);
  expect(readdirSync(store.folder).toSorted()).toEqual(['a.jsonl', 'b.jsonl', 'locks']);
});

test('a session gets a name, and another one', async () => {
  const store = sessions();
  store.keep('abcd', turn('1'));
  await store.rename('abcd', 'first');
  await store.rename('abcd', 'second name');
  expect(await store.summary('abcd')).toMatchObject({ name: 'second name', turns: 1 });
  expect(await store.find('second name')).toBe('abcd');
});

test.each(['', '  ', 'two\nlines', 'bell\u0007'])('%j is no name', async (name) => {
  const store = sessions();
  store.keep('a');
  const before = store.textOf('a');
  await allRefused([store.rename('a', name)], 'the name of a session is one line that says something');
  expect(store.textOf('a')).toBe(before);
});

test('a session is removed, and then another may have its id', async () => {
  const store = sessions();
  store.keep('a');
  store.keep('b');
  await store.remove('a');
  expect((await store.list()).map(({ id }) => id)).toEqual(['b']);
  expect(readdirSync(path.join(store.folder, 'locks'))).toEqual([]);
  store.keep('a', turn('1'));
  expect(await store.read('a')).toHaveLength(4);
});

test('what cannot be changed is read, and the rest is said to be impossible', async () => {
  const store = sessions();
  store.keep('a');
  execFileSync('chmod', ['-R', 'a+rX,a-w', store.home]);
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', store.home]));
  await PLAIN_USER.act(async () => {
    await allRefused([store.open('a'), store.rename('a', 'x')], 'session a cannot be opened: EACCES');
    await allRefused([store.remove('a')], 'session a cannot be locked: EACCES');
    await allRefused([store.fork('a', { newId: 'b' })], `the copy ${store.fileOf('b')} cannot be written: EACCES`);
    expect(await store.read('a')).toHaveLength(2);
  });
});
