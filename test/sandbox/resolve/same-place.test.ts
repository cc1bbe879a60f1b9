import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { resolvePolicy } from '../../../src/sandbox/resolve/resolve-policy.js';
import { changedPlaces } from '../../../src/sandbox/resolve/same-place.js';
import { at, file, folder, pathsOf, policyFor, realFolder } from './workspace.js';

/** A workspace that has one place of each sort. */
async function places() {
  const base = realFolder();
  const root = folder(base, 'ws');
  folder(root, 'sub/.git');
  const [granted, hidden] = [folder(base, 'granted'), file(base, 'secret')];
  const { policy } = await resolvePolicy(
    policyFor({ writableRoots: [root], hiddenPaths: [hidden], grants: [{ kind: 'write', path: granted }] }),
  );
  return { base, root, policy };
}

test('nothing has changed when nothing was done', async () => {
  const { policy, root } = await places();
  file(root, 'sub/.git/config');
  file(root, 'new/file');
  expect(changedPlaces(policy)).toEqual([]);
});

test.each([
  ['ws', ['ws', 'ws/sub/.git', 'ws/sub']],
  ['ws/sub', ['ws/sub/.git', 'ws/sub']],
  ['ws/sub/.git', ['ws/sub/.git']],
  ['granted', ['granted']],
  ['secret', ['secret']],
])('%s is told when it was swapped, gone or is a link to itself', async (name, changed) => {
  const { base, policy } = await places();
  const place = at(base, name);
  const expected = changed.map((each) => at(base, each));
  renameSync(place, at(base, 'aside'));
  expect(pathsOf(changedPlaces(policy))).toEqual(expected);
  if (name === 'secret') writeFileSync(place, '');
  else folder(place);
  expect(pathsOf(changedPlaces(policy))).toEqual(expected);
  rmSync(place, { recursive: true });
  symlinkSync(at(base, 'aside'), place);
  expect(pathsOf(changedPlaces(policy))).toContain(place);
  rmSync(place);
  writeFileSync(place, '');
  expect(pathsOf(changedPlaces(policy))).toEqual(expected);
});
