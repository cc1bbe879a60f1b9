import { expect, test } from 'vitest';

import { compileInside } from '../../../src/sandbox/linux/bubblewrap.js';
import { compileCell } from '../../../src/sandbox/linux/cell.js';
import { compileFence } from '../../../src/sandbox/linux/fence.js';
import { compileRoom } from '../../../src/sandbox/linux/room.js';
import { REQUEST } from './requests.js';

/** `O_DIRECT`, `O_LARGEFILE`, `O_DIRECTORY` and `O_NOFOLLOW`, which the architectures have in another order. */
const DIFFERENT = 0o740000;

const IDENTITY = { user: 1000, group: 100 };
const REQUESTED = {
  ...REQUEST,
  identity: IDENTITY,
  abilities: { ...REQUEST.abilities, architecture: 'arm64' },
  readable: [],
} as const;

test.each([
  ['a cell', compileCell(REQUESTED)],
  ['the fence', compileFence(REQUESTED)],
  ['bubblewrap', compileInside(REQUESTED)],
  ['a room', compileRoom('arm64', IDENTITY)],
])('%s opens files with flags that mean the same on every architecture', (_, { steps }) => {
  const opened = steps.filter(({ call }) => call === 'openat');
  expect(opened.length).toBeGreaterThan(0);
  const odd = opened.filter(({ arguments: [, , flags] }) => (Number(flags) & DIFFERENT) !== 0);
  expect(odd.map(({ what }) => what)).toEqual([]);
});
