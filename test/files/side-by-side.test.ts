import { expect, test } from 'vitest';

import { sideBySide } from '../../src/files/side-by-side.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what comes back is in the order of what was given, and not all is begun at once', async () => {
  let [running, most] = [0, 0];
  const values = await sideBySide(numbers(50), async (number) => {
    running += 1;
    most = Math.max(most, running);
    // The first take longest.
    for (let left = 50 - number; left > 0; left -= 1) await turn();
    running -= 1;
    return number * 2;
  });
  expect([values, most]).toEqual([numbers(50).map((number) => number * 2), 16]);
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
