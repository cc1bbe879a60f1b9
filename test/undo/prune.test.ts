import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { openEntryStore } from '../../src/undo/entry-store.js';
import type { EntryStore } from '../../src/undo/entry-store.js';
import { pruneAll } from '../../src/undo/prune.js';
import { tempFolder } from '../support/temp-folder.js';
import { grounds, owner } from './grounds.js';

const LIMITS = { ms: 1000, entries: 100, bytes: 100_000 };
const HOUR = 60 * 60_000;

type Log = { readonly folder: string; readonly log: string; readonly store: EntryStore };

async function filled(count: number, folder = tempFolder(), name = 'log'): Promise<Log> {
  const log = path.join(folder, name);
  const store = openEntryStore({ folder: log, now: Date.now });
  for (let index = 0; index < count; index++) {
    await store.add({ owner: owner(`${index}`), files: [], contents: [] });
  }
  return { folder, log, store };
}

test('the oldest entries are forgotten when they are too many', async () => {
  const { folder, store } = await filled(5);
  const ids = (await store.list()).map(({ id }) => id);
  await pruneAll(folder, Date.now(), { ...LIMITS, entries: 2 });
  expect((await store.list()).map(({ id }) => id)).toEqual(ids.slice(3));
});

test('the oldest entries are forgotten when they are too large together', async () => {
  const { folder, store } = await filled(3);
  const [, second] = await store.list();
  if (second) writeFileSync(second.file, 'x'.repeat(LIMITS.bytes));
  await pruneAll(folder, Date.now(), LIMITS);
  expect(await store.list()).toHaveLength(1);
});

test('entries are forgotten when they are too old; what is not finished is not', async () => {
  const { folder, store } = await filled(2);
  const pending = await store.begin({ owner: owner('p'), files: [], contents: [] });
  await pending.safe;
  for (const { file } of await store.list()) utimesSync(file, 1, 1);
  await store.add({ owner: owner('new'), files: [], contents: [] });
  await pruneAll(folder, Date.now(), LIMITS);
  expect((await store.list()).map(({ stage }) => stage)).toEqual(['pending', 'made']);
  expect((await store.list())[0]?.id).toBe(pending.header.id);
});

test('what is said of commands is forgotten when it is old, and but for the latest when it is much', async () => {
  const { folder, store } = await filled(0);
  for (let index = 0; index < 60; index++) await store.mark(owner(`${index}`), `reason ${index}`);
  for (const file of await store.marks()) utimesSync(file, 1, 1);
  for (let index = 0; index < 55; index++) await store.mark(owner(`${index}`), `new ${index}`);
  await pruneAll(folder, Date.now(), { ...LIMITS, ms: HOUR });
  expect(await store.marks()).toHaveLength(50);
  await pruneAll(folder, Date.now() + 2 * HOUR, { ...LIMITS, ms: HOUR });
  expect(existsSync(path.join(folder, 'log'))).toBe(false);
});

test('what was being written is removed an hour later, and a log of which nothing is left', async () => {
  const { folder, log, store } = await filled(1);
  const [stale, fresh] = ['1-a-1.change.tmp', '2-a-1.change.tmp'].map((name) => path.join(log, name));
  for (const file of [stale, fresh]) writeFileSync(file ?? '', 'x');
  utimesSync(stale ?? '', 1, Date.now() / 1000 - 3700);
  mkdirSync(path.join(folder, 'empty'));
  await pruneAll(folder, Date.now(), LIMITS);
  const [entry] = await store.list();
  expect(readdirSync(log).toSorted()).toEqual([path.basename(entry?.file ?? ''), '2-a-1.change.tmp'].toSorted());
  expect(readdirSync(folder)).toEqual(['log']);
});

test('the first entry of a log has all logs pruned, also those of workspaces where nobody works', async () => {
  const { change, changes } = grounds();
  const old = await filled(2, changes, 'elsewhere');
  for (const { file } of await old.store.list()) utimesSync(file, 1, 1);
  await change('1', { a: [undefined, 'a'] });
  await expect.poll(() => existsSync(old.log)).toBe(false);
  await old.store.add({ owner: owner('again'), files: [], contents: [] });
  expect(await old.store.list()).toHaveLength(1);
});
