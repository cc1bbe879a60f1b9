import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { ConfigError } from '../../../src/core/errors.js';
import type { SessionLog } from '../../../src/core/session-log.js';
import { createRecording } from '../../../src/journal/session/log.js';
import { PLAIN_USER } from '../../sandbox/staging/users.js';
import { scriptOf } from '../../store/lock-holder.js';
import { tempFolder } from '../../support/temp-folder.js';
import { allRefused, chosen, sessions, userSays } from './lines.js';

const START = { id: 'new', cwd: '/project', version: '1.2.3' };

/** What the file says, with times as `now`. */
const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line, (key, value: unknown) => (key === 'at' ? 'now' : value)));

const CREATED = { type: 'session.created', v: 1, ...START, at: 'now' };

test('nothing is there before the first line is, and then it is, for the user alone', () => {
  const store = sessions();
  const log = store.create(START);
  expect(readdirSync(store.home)).toEqual([]);
  log.append(userSays('hello'));
  expect(linesOf(store.fileOf('new'))).toEqual([CREATED, userSays('hello')]);
  expect([store.fileOf('new'), store.folder].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o700]);
  log.close();
});

test('a log that is closed before its first line leaves nothing', async () => {
  const store = sessions();
  const log = store.create(START);
  await log.durable();
  log.close();
  log.close();
  expect(readdirSync(store.home)).toEqual([]);
  expect(() => log.append(chosen())).toThrow(/is closed$/);
});

test('the type of a line comes first, however it was made', () => {
  const store = sessions();
  const { type, ...rest } = chosen();
  store.keep('a', [{ ...rest, type } as ReturnType<typeof chosen>]);
  expect(store.textOf('a').split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^\{"type":"session.created"/),
    expect.stringMatching(/^\{"type":"settings.chosen"/),
  ]);
});

test('there is one session of an id', () => {
  const store = sessions();
  const [early, late] = [store.create(START), store.create(START)];
  early.append(chosen());
  expect(() => late.append(chosen())).toThrow(
    new ConfigError('there is a session new already; give the new one another id'),
  );
  // What failed once stays failed.
  expect(() => late.append(chosen())).toThrow('there is a session new already');
  expect(() => store.keep('new')).toThrow('there is a session new already');
  early.append(chosen());
  early.close();
});

test('a link in its place is not followed', () => {
  const store = sessions();
  mkdirSync(store.folder);
  symlinkSync(path.join(store.home, 'elsewhere'), store.fileOf('new'));
  expect(() => store.create(START).append(chosen())).toThrow('there is a session new already');
  expect(readdirSync(store.home)).toEqual(['sessions']);
});

const CHANGES: readonly (readonly [string, (file: string) => void, string])[] = [
  ['longer', (file) => appendFileSync(file, '{}\n'), 'the session was changed by another process'],
  ['shorter', (file) => truncateSync(file, 10), 'the session was changed by another process'],
  ['removed', (file) => rmSync(file), 'the session was removed by another process'],
];

test.each(CHANGES)('once somebody else has made it %s, nothing more is written', (_, change, why) => {
  const store = sessions();
  const log = store.create(START);
  log.append(chosen());
  change(store.fileOf('new'));
  const before = existsSync(store.fileOf('new')) && readFileSync(store.fileOf('new'), 'utf8');
  const told = `the session in ${store.fileOf('new')} cannot be kept: ${why}`;
  expect(() => log.append(chosen())).toThrow(told);
  expect(() => log.append(chosen())).toThrow(told);
  expect(existsSync(store.fileOf('new')) && readFileSync(store.fileOf('new'), 'utf8')).toBe(before);
  log.close();
});

test('all who want lines to last are told, however many come at once', async () => {
  const store = sessions();
  const log = store.create(START);
  const waits = Array.from({ length: 50 }, () => {
    log.append(chosen());
    return log.durable();
  });
  await Promise.all(waits);
  log.append(chosen());
  const last = log.durable();
  // What is being written goes on; the file is closed behind it.
  log.close();
  await last;
  await log.durable();
  expect(await store.read('new')).toHaveLength(52);
});

test('lines that were not made to last before the end are not said to', async () => {
  const log = sessions().create(START);
  log.append(chosen());
  log.close();
  await expect(log.durable()).rejects.toThrow(/is closed$/);
});

test('a line that only half fits is taken back, and the last one it is', async () => {
  const home = tempFolder();
  const script = await scriptOf(`
    import { openSessions } from './src/journal/session/store.ts';
    const [, , home = ''] = process.argv;
    const log = openSessions({ home }).create(${JSON.stringify(START)});
    const add = (text: string) => {
      try {
        log.append({ type: 'session.named', at: '', name: text });
      } catch (error) {
        console.log(error.message);
      }
    };
    for (const text of ['small', 'x'.repeat(10_000), 'small again']) add(text);`);
  const limited = ['-c', 'ulimit -f 4 && exec "$@"', 'bash', process.execPath, script, home];
  const { stdout, stderr } = spawnSync('/bin/bash', limited, { encoding: 'utf8' });
  const store = sessions(home);
  const told = `the session in ${store.fileOf('new')} cannot be kept: EFBIG: file too large, write\n`;
  expect({ stdout, stderr }).toEqual({ stdout: told.repeat(2), stderr: '' });
  expect((await store.read('new')).map((line) => ('name' in line ? line.name : line.type))).toEqual([
    'session.created',
    'small',
  ]);
});

test('where nothing can be written, the first line says so', () => {
  const store = sessions();
  writeFileSync(store.folder, 'in the way');
  const log = store.create(START);
  expect(() => log.append(chosen())).toThrow(ConfigError);
  expect(() => log.append(chosen())).toThrow(`no session can be kept in ${store.fileOf('new')}: ENOTDIR`);
  expect(readdirSync(store.home)).toEqual(['sessions']);
});

test('not even for a plain user in a folder that is read-only', async () => {
  const home = tempFolder();
  spawnSync('chmod', ['555', home]);
  const store = sessions(home);
  await PLAIN_USER.act(async () => expect(() => store.create(START).append(chosen())).toThrow(/EACCES/));
});

test.each(['', '.', '..', '../a', 'a/b', '/a', '.a', '-a', '~a', 'a\0', 'a\n', 'ä', 'a b', 'a'.repeat(129)])(
  '%j is no id',
  async (id) => {
    const store = sessions();
    const refused = 'cannot be the id of a session';
    expect(() => store.create({ ...START, id })).toThrow(refused);
    expect(() => store.fileOf(id)).toThrow(ConfigError);
    store.keep('source');
    await allRefused([store.open(id), store.read(id), store.remove(id), store.fork('source', { newId: id })], refused);
  },
);

test.each(['a', '0', 'A.b_c-d', 'a'.repeat(128)])('%j is an id', async (id) => {
  const store = sessions();
  store.keep(id);
  expect(await store.read(id)).toHaveLength(2);
});

test('a recording has the same lines, in any file that holds nothing', async () => {
  const folder = tempFolder();
  const [fresh, empty] = [path.join(folder, 'fresh'), path.join(folder, 'empty')];
  writeFileSync(empty, '');
  for (const file of [fresh, empty]) await record(createRecording(file, START));
  for (const file of [fresh, empty]) expect(linesOf(file)).toEqual([CREATED, userSays('hello')]);
  expect(readdirSync(folder)).toEqual(['empty', 'fresh']);
});

async function record(log: SessionLog): Promise<void> {
  log.append(userSays('hello'));
  await log.durable();
  log.close();
}

test.each([
  ['a file with something in it', 'full', /there is something in .*full already; record to a new file/],
  ['a folder', 'folder', /there is something in .*folder already/],
  [
    'a file in a folder that is missing',
    'missing/file',
    /no session can be kept in .*missing\/file: there is no folder .*missing$/,
  ],
  ['a file below a file', 'full/file', /no session can be kept in .*full\/file: ENOTDIR/],
])('%s cannot be recorded to, and that is said at once', (_, name, why) => {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'full'), 'text');
  mkdirSync(path.join(folder, 'folder'));
  expect(() => createRecording(path.join(folder, name), START)).toThrow(why);
  expect(() => createRecording(path.join(folder, name), START)).toThrow(ConfigError);
  expect(readFileSync(path.join(folder, 'full'), 'utf8')).toBe('text');
});

test('a file that was filled since is left alone', () => {
  const file = path.join(tempFolder(), 'file');
  const log = createRecording(file, START);
  writeFileSync(file, 'text');
  expect(() => log.append(chosen())).toThrow(/there is something in .* already/);
  expect(readFileSync(file, 'utf8')).toBe('text');
});
