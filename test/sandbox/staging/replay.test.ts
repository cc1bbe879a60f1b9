import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';

import { openRoot } from '../../../src/sandbox/staging/beneath.js';
import { factsOf } from '../../../src/sandbox/staging/facts.js';
import type { Change } from '../../../src/core/staging.js';
import { placeEntry } from '../../../src/sandbox/staging/place-entry.js';
import { endReplay, setAside, startReplay } from '../../../src/sandbox/staging/replay.js';
import type { Replay } from '../../../src/sandbox/staging/replay.js';
import { tempFolder } from '../../support/temp-folder.js';

async function running(): Promise<{ readonly folder: string; readonly replay: Replay }> {
  const folder = tempFolder();
  const root = await openRoot(folder);
  onTestFinished(() => root.close());
  for (const name of ['a', 'b', 'c']) writeFileSync(`${folder}/${name}`, name);
  return { folder, replay: await startReplay(root, root) };
}

function deletion(folder: string, path: string): Change {
  return { path, kind: 'deleted', entry: 'file', present: factsOf(statSync(`${folder}/${path}`, { bigint: true })) };
}

test('what cannot be put back is told, and everything else is put back all the same', async () => {
  const { folder, replay } = await running();
  for (const name of ['a', 'b', 'c']) await setAside(replay, deletion(folder, name), rename);
  const [, kept = ''] = readdirSync(`${folder}/${replay.aside}`).toSorted();
  rmSync(`${folder}/${replay.aside}/${kept}`);
  expect(await replay.rollBack()).toEqual([{ path: 'b', reason: expect.stringContaining('ENOENT') as string }]);
  expect(readdirSync(folder).filter((name) => name.length === 1)).toEqual(['a', 'c']);
});

test('something else under the name is noticed, and put back', async () => {
  const { folder, replay } = await running();
  const change = deletion(folder, 'a');
  writeFileSync(`${folder}/a`, 'somebody else');
  await expect(setAside(replay, change, rename)).rejects.toThrow('it has changed meanwhile');
  expect(await replay.rollBack()).toEqual([]);
  expect(readFileSync(`${folder}/a`, 'utf8')).toBe('somebody else');
});

test('a new file does not take the place of one that appeared', async () => {
  const { folder, replay } = await running();
  const staged = factsOf(statSync(`${folder}/a`, { bigint: true }));
  const change: Change = { path: 'a', kind: 'added', entry: 'file', staged };
  await expect(placeEntry(replay, change)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await replay.rollBack()).toEqual([]);
  await endReplay(replay);
  expect(readdirSync(folder)).toEqual(['a', 'b', 'c']);
});

test('originals are kept where only their owner can look, until the end', async () => {
  const { folder, replay } = await running();
  await setAside(replay, deletion(folder, 'a'), rename);
  expect(statSync(`${folder}/${replay.aside}`).mode & 0o777).toBe(0o700);
  await endReplay(replay);
  expect(readdirSync(folder)).toEqual(['b', 'c']);
});
