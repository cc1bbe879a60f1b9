import { expect, test } from 'vitest';

import { sideBySide } from '../../src/core/side-by-side.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test.each([
  { given: undefined, most: 16 },
  { given: 3, most: 3 },
  { given: 1, most: 1 },
])('with a limit of $given, $most are begun at once, and what comes back is in order', async ({ given, most }) => {
  let [running, seen] = [0, 0];
  const work = async (number: number) => {
    running += 1;
    seen = Math.max(seen, running);
    // The first take longest.
    for (let left = 50 - number; left > 0; left -= 1) await turn();
    running -= 1;
    return number * 2;
  };
  const values = await sideBySide(numbers(50), work, given);
  expect([values, seen]).toEqual([numbers(50).map((number) => number * 2), most]);
});

test('of nothing, nothing comes back', async () => {
  expect(await sideBySide([], () => Promise.reject(new Error('begun')))).toEqual([]);
});

test('after a failure nothing is begun any more, and it is told when everything is at rest', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const work = sideBySide(numbers(50), async (number) => {
    begun.push(number);
    await turn();
    if (number === 3 || number === 2) throw new Error(`${number}`);
    for (let left = 5; left > 0; left -= 1) await turn();
    ended.push(number);
  });
  await expect(work).rejects.toThrow('2');
  expect([begun, ended]).toEqual([numbers(16), numbers(16).filter((number) => number !== 2 && number !== 3)]);
});
