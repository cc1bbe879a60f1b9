import { expect, test } from 'vitest';

import { createRecentLook } from '../../../src/sandbox/resolve/recent-look.js';
import type { Resolution } from '../../../src/sandbox/resolve/resolve-policy.js';
import { resolvePolicy } from '../../../src/sandbox/resolve/resolve-policy.js';
import { policyFor, realFolder } from './workspace.js';

async function lookAt(clock: { now: number }) {
  const found: Resolution = await resolvePolicy(policyFor({ writableRoots: [realFolder()] }));
  const recent = createRecentLook(() => clock.now);
  recent.keep('this', found);
  return { recent, found };
}

test('a look serves one start of the same', async () => {
  const { recent, found } = await lookAt({ now: 0 });
  expect([recent.take('this'), recent.take('this')]).toEqual([found, undefined]);
});

test('a look serves nothing else, and nothing after that', async () => {
  const { recent } = await lookAt({ now: 0 });
  expect([recent.take('that'), recent.take('this')]).toEqual([undefined, undefined]);
});

test('a look is good for a moment', async () => {
  const clock = { now: 0 };
  const { recent, found } = await lookAt(clock);
  clock.now = 49;
  expect(recent.take('this')).toBe(found);
  recent.keep('this', found);
  clock.now += 50;
  expect(recent.take('this')).toBeUndefined();
});

test('a look is forgotten when something may have changed', async () => {
  const { recent } = await lookAt({ now: 0 });
  recent.forget();
  expect(recent.take('this')).toBeUndefined();
});
