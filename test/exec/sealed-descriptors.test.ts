import { expect, test } from 'vitest';

import { sealDescriptor, sealedStdio } from '../../src/exec/sealed-descriptors.js';

test('a number that is given out again stays sealed until its last seal is lifted', () => {
  const first = sealDescriptor(40);
  const second = sealDescriptor(40);
  first();
  expect(sealedStdio(['ignore', 'pipe', 'pipe'])[40]).toEqual(expect.any(Number));
  second();
  expect(sealedStdio(['ignore', 'pipe', 'pipe'])).toEqual(['ignore', 'pipe', 'pipe']);
});

test('only sealed numbers are covered, and what a child is given stays', () => {
  const lift = sealDescriptor(5);
  expect(sealedStdio(['ignore', 'pipe', 7])).toEqual(['ignore', 'pipe', 7, 'ignore', 'ignore', expect.any(Number)]);
  lift();
});
