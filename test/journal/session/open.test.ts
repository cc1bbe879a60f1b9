import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ConfigError } from '../../../src/core/errors.js';
import type { SessionLine } from '../../../src/core/session-log.js';
import type { SessionStore } from '../../../src/core/session-store.js';
import { propertyRuns } from '../../support/property-runs.js';
import { allRefused, chosen, sessions, turn, userSays } from './lines.js';

/** With line breaks and characters of every length, which a cut may go through. */
const LAST = userSays('ä "quoted"\n€ 🎉 \u2028 end');
const LAST_BYTES = Buffer.byteLength(`${JSON.stringify(LAST)}\n`);

test('a session goes on where it ended', async () => {
  const store = sessions();
  store.keep('a', turn('1'));
  const { log, past } = await store.open('a');
  expect(log.id).toBe('a');
  expect(past).toEqual([expect.objectContaining({ type: 'session.created', id: 'a', cwd: '/project' }), ...turn('1')]);
  log.append(chosen());
  expect(await store.read('a')).toEqual([...past, chosen()]);
  await log.durable();
  log.close();
});

test('a last line that a crash has cut anywhere is put right, and the session goes on', async () => {
  const store = sessions();
  store.keep('whole', [...turn('1'), LAST]);
  const whole = readFileSync(store.fileOf('whole'));
  const before = whole.subarray(0, whole.length - LAST_BYTES).toString();
  for (let missing = 0; missing <= LAST_BYTES; missing += 1) {
    writeFileSync(store.fileOf('cut'), whole.subarray(0, whole.length - missing));
    const expected = missing <= 1 ? whole.toString() : before;
    const { log, past } = await store.open('cut');
    expect({ missing, text: store.textOf('cut') }).toEqual({ missing, text: expected });
    expect(past).toHaveLength(missing <= 1 ? 5 : 4);
    log.append(chosen());
    log.close();
    expect(store.textOf('cut')).toBe(`${expected}${JSON.stringify(chosen())}\n`);
  }
});

test('zeros that a power cut has left behind are cut off', async () => {
  const store = sessions();
  store.keep('a', turn('1'));
  const before = store.textOf('a');
  appendFileSync(store.fileOf('a'), Buffer.alloc(5_000));
  (await store.open('a')).log.close();
  expect(store.textOf('a')).toBe(before);
});

test('who only reads changes nothing', async () => {
  const store = sessions();
  store.keep('a', turn('1'));
  appendFileSync(store.fileOf('a'), '{"type":"entry.sa');
  const before = store.textOf('a');
  expect(await store.read('a')).toHaveLength(4);
  expect((await store.list()).concat(await store.summary('a')).map(({ turns }) => turns)).toEqual([1, 1]);
  expect(store.textOf('a')).toBe(before);
});

test('what is not known here is passed over, and stays', async () => {
  const store = sessions();
  store.keep('a', [chosen()]);
  const unknown = '{"type":"dream.had","at":"tonight"}\n';
  appendFileSync(store.fileOf('a'), unknown);
  appendFileSync(store.fileOf('a'), '{"type":"settings.chosen","at":"","model":"n","provider":"p","mood":"good"}\n');
  const { log, past } = await store.open('a');
  log.append(chosen());
  log.close();
  expect(past.map(({ type }) => type)).toEqual(['session.created', 'settings.chosen', 'settings.chosen']);
  expect(store.textOf('a')).toContain(`\n${unknown}`);
});

test('a file that is larger than anybody could read is refused, and can be removed', async () => {
  const store = sessions();
  store.keep('a', turn('1'));
  truncateSync(store.fileOf('a'), 2 ** 31);
  const fork = store.fork('a', { newId: 'b' });
  await allRefused([store.open('a'), store.read('a'), store.summary('a'), fork], 'is too large to be read');
  expect(await store.list()).toEqual([]);
  await store.remove('a');
});

const DEEP = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

test.each([
  ['is nested without end', `{"type":"context.told","snapshot":${DEEP}}`, 'it is no line of a session'],
  ['is of no known type, and nested without end', `{"type":"dream.had","of":${DEEP}}`, 'it is no line of a session'],
  ['is no JSON', '{"type":"settings', 'it is no line of a session'],
  ['is empty', '', 'it is no line of a session'],
  ['is no object', '[]', 'it is no line of a session'],
  ['has no type', '{"at":""}', 'it is no line of a session'],
  [
    'is not text',
    Buffer.from('{"type":"session.named","at":"","name":"\xff"}', 'latin1'),
    'it is no line of a session',
  ],
  ['lacks something', '{"type":"session.named","at":""}', 'a line session.named is not like this'],
  [
    'has the name of a property',
    '{"type":"settings.chosen","at":"","model":1}',
    'a line settings.chosen is not like this',
  ],
])('a line that %s is named, with the turns before it', async (_, bad, why) => {
  const store = sessions();
  store.keep('a', [...turn('1'), ...turn('2')]);
  appendFileSync(store.fileOf('a'), Buffer.concat([Buffer.from(bad), Buffer.from('\n')]));
  appendFileSync(store.fileOf('a'), `${JSON.stringify(chosen())}\n{"half`);
  const before = store.textOf('a');
  const told = `${store.fileOf('a')}, line 8: ${why}. To go on from before it, in a copy: tenon fork a --turns 2`;
  await allRefused([store.open('a'), store.read('a'), store.fork('a', { newId: 'b' })], told);
  expect([store.textOf('a'), readdirSync(store.folder).toSorted()]).toEqual([before, ['a.jsonl', 'locks']]);
  await store.fork('a', { newId: 'b', turns: 2 });
  expect((await store.read('b')).slice(1)).toEqual([...turn('1'), ...turn('2')]);
});

test('where no turn had ended before a damaged line, there is nothing to go on with', async () => {
  const store = sessions();
  store.keep('a', turn('1').slice(0, 1));
  appendFileSync(store.fileOf('a'), 'damage\n');
  const told = 'No turn had ended before it. To remove the session: tenon sessions rm a';
  await allRefused([store.open('a'), store.read('a')], told);
});

test.each([
  ['nothing', '', 'does not begin like a session'],
  ['half a line', '{"type":"session.cre', 'does not begin like a session'],
  ['another line', `${JSON.stringify(chosen())}\n`, 'does not begin like a session'],
  ['an unknown line', '{"type":"x"}\n', 'does not begin like a session'],
  [
    'lines of a newer Tenon',
    '{"type":"session.created","v":2}\n',
    'it was made by a newer Tenon; update Tenon to use it',
  ],
])('a file that begins with %s is no session', async (_, text, why) => {
  const store = sessions();
  store.keep('a');
  writeFileSync(store.fileOf('b'), text);
  await allRefused(
    [store.open('b'), store.read('b'), store.summary('b'), store.fork('b', { newId: 'c', turns: 0 })],
    why,
  );
  expect([(await store.list()).map(({ id }) => id), store.textOf('b')]).toEqual([['a'], text]);
  await store.remove('b');
});

test('links, folders and pipes are no sessions', async () => {
  const store = sessions();
  store.keep('real');
  symlinkSync(store.fileOf('real'), store.fileOf('link'));
  spawnSync('mkdir', [store.fileOf('folder')]);
  spawnSync('mkfifo', [store.fileOf('pipe')]);
  const before = store.textOf('real');
  for (const id of ['link', 'folder', 'pipe']) {
    await allRefused([store.open(id), store.read(id), store.remove(id)], `session ${id} cannot be opened: `);
  }
  await expect(store.open('link')).rejects.toThrow('session link cannot be opened: it is a link');
  expect([(await store.list()).map(({ id }) => id), store.textOf('real')]).toEqual([['real'], before]);
});

test('a session that is not there is said to be missing, and nothing is made for it', async () => {
  const store = sessions();
  await allRefused(
    [
      store.open('none'),
      store.read('none'),
      store.summary('none'),
      store.remove('none'),
      store.rename('none', 'x'),
      store.fork('none', { newId: 'new' }),
    ],
    'there is no session none; tenon sessions list --all shows those there are',
  );
  expect(readdirSync(store.home)).toEqual([]);
});

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.oneof(fc.json({ maxDepth: 2 }), lineLike()), { maxLength: 4 })
    .map((lines) => Buffer.from(lines.join('\n'))),
);

/** Right types with wrong fields. */
function lineLike(): fc.Arbitrary<string> {
  const types = fc.constantFrom('session.created', 'turn.finished', 'entry.said', 'item.received', 'constructor', '');
  const fields = fc.record({ at: fc.jsonValue(), entry: fc.jsonValue(), item: fc.jsonValue(), turn: fc.jsonValue() });
  return fc.tuple(types, fields).map(([type, rest]) => JSON.stringify({ type, ...rest }));
}

test('whatever follows, what was good before it is read or can be copied', async () => {
  const store = sessions();
  const good: readonly SessionLine[] = [chosen(), ...turn('1')];
  store.keep('good', good);
  const prefix = readFileSync(store.fileOf('good'));
  let [opened, copied] = [0, 0];
  await fc.assert(
    fc.asyncProperty(anyBytes, async (bytes) => {
      const whole = Buffer.concat([prefix, bytes]);
      writeFileSync(store.fileOf('a'), whole);
      await store.summary('a');
      const past = await pastOf(store, 'a').catch(async (error: unknown) => {
        expect(error).toBeInstanceOf(ConfigError);
        expect(readFileSync(store.fileOf('a'))).toEqual(whole);
        const newId = `copy${(copied += 1)}`;
        await store.fork('a', { newId, turns: 1 });
        return store.read(newId);
      });
      expect(past.slice(1, 1 + good.length)).toEqual(good);
      opened += 1;
    }),
    propertyRuns(60, 1_500),
  );
  expect([copied > 0, opened > copied]).toEqual([true, true]);
});

async function pastOf(store: SessionStore, id: string): Promise<readonly SessionLine[]> {
  const { log, past } = await store.open(id);
  log.close();
  return past;
}

test('a file of anything at all is a session or a clear error', async () => {
  const store = sessions();
  store.keep('good');
  await fc.assert(
    fc.asyncProperty(anyBytes, async (bytes) => {
      writeFileSync(store.fileOf('a'), bytes);
      await allRefused([store.read('a'), store.summary('a'), store.fork('a', { newId: 'b', turns: 0 })], 'a');
      expect((await store.list()).map(({ id }) => id)).toEqual(['good']);
    }),
    propertyRuns(60),
  );
});
