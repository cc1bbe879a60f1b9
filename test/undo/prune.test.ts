import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { openEntryStore } from '../../src/undo/entry-store.js';
import type { EntryStore } from '../../src/undo/entry-store.js';
import { prune } from '../../src/undo/prune.js';
import { tempFolder } from '../support/temp-folder.js';
import { owner } from './grounds.js';

const LIMITS = { ms: 1000, entries: 100, bytes: 100_000 };

async function filled(count: number): Promise<EntryStore> {
  const store = openEntryStore({ folder: path.join(tempFolder(), 'log'), now: Date.now });
  for (let index = 0; index < count; index++) {
    await store.add({ owner: owner(`${index}`), files: [], contents: [] });
  }
  return store;
}

test('the oldest entries are forgotten when they are too many', async () => {
  const store = await filled(5);
  const ids = (await store.list()).map(({ id }) => id);
  await prune(store, Date.now(), { ...LIMITS, entries: 2 });
  expect((await store.list()).map(({ id }) => id)).toEqual(ids.slice(3));
});

test('the oldest entries are forgotten when they are too large together', async () => {
  const store = await filled(3);
  const [, second] = await store.list();
  if (second) writeFileSync(second.file, 'x'.repeat(LIMITS.bytes));
  await prune(store, Date.now(), LIMITS);
  expect(await store.list()).toHaveLength(1);
});

test('entries are forgotten when they are too old; what is not finished is not', async () => {
  const store = await filled(2);
  const pending = await store.begin({ owner: owner('p'), files: [], contents: [] });
  for (const { file } of await store.list()) utimesSync(file, 1, 1);
  await store.add({ owner: owner('new'), files: [], contents: [] });
  await prune(store, Date.now(), LIMITS);
  expect((await store.list()).map(({ stage }) => stage)).toEqual(['pending', 'made']);
  expect((await store.list())[0]?.id).toBe(pending.id);
});
