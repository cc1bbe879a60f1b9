import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { fitInto } from '../../src/images/image.js';
import type { Size } from '../../src/images/image.js';
import { createShrinker } from '../../src/images/shrink.js';
import { propertyRuns } from '../support/property-runs.js';

function shrink(rgba: Uint8Array, from: Size, to: Size): Uint8Array {
  const shrinker = createShrinker(from, to);
  for (let y = 0; y < from.height; y += 1) shrinker.add(rgba.subarray(y * from.width * 4, (y + 1) * from.width * 4));
  return shrinker.finish().rgba;
}

/** How much of an old length lies within a new one. */
const overlap = (old: number, olds: number, now: number, news: number) =>
  Math.max(0, Math.min((old + 1) / olds, (now + 1) / news) - Math.max(old / olds, now / news));

/** The same by its definition: for each new pixel, all old ones. */
function mean(rgba: Uint8Array, from: Size, to: Size): number[] {
  const out: number[] = [];
  for (let y = 0; y < to.height; y += 1) {
    for (let x = 0; x < to.width; x += 1) {
      const sum = [0, 0, 0, 0];
      for (let at = 0; at < from.width * from.height; at += 1) {
        const [column, row] = [at % from.width, Math.floor(at / from.width)];
        const area = overlap(column, from.width, x, to.width) * overlap(row, from.height, y, to.height);
        const [red = 0, green = 0, blue = 0, opacity = 0] = rgba.subarray(at * 4, at * 4 + 4);
        [red, green, blue, 1].forEach((value, index) => (sum[index] = (sum[index] ?? 0) + value * opacity * area));
      }
      const [red = 0, green = 0, blue = 0, weight = 0] = sum;
      out.push(...[red, green, blue].map((value) => value / weight), weight * to.width * to.height);
    }
  }
  return out;
}

const side = fc.integer({ min: 1, max: 12 });

describe('a smaller picture', () => {
  test('has in each pixel the mean of the area it covers', () => {
    const sizes = fc
      .tuple(side, side)
      .chain(([width, height]) =>
        fc.tuple(
          fc.constant({ width, height }),
          fc.record({ width: fc.integer({ min: 1, max: width }), height: fc.integer({ min: 1, max: height }) }),
          fc.uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 }),
        ),
      );
    fc.assert(
      fc.property(sizes, ([from, to, bytes]) => {
        const rgba = bytes.map((each, at) => (at % 4 === 3 ? Math.max(1, each) : each));
        const expected = mean(rgba, from, to);
        shrink(rgba, from, to).forEach((value, index) => {
          expect(Math.abs(value - (expected[index] ?? 0))).toBeLessThan(0.501);
        });
      }),
      propertyRuns(100),
    );
  });

  test('does not show the colour of what cannot be seen', () => {
    const rgba = Uint8Array.from([200, 100, 50, 255, 9, 9, 9, 0]);
    expect([...shrink(rgba, { width: 2, height: 1 }, { width: 1, height: 1 })]).toEqual([200, 100, 50, 128]);
  });

  test.each([
    [
      { width: 3000, height: 2500 },
      { width: 2048, height: 1707 },
    ],
    [
      { width: 100_000, height: 1 },
      { width: 2048, height: 1 },
    ],
    [
      { width: 20, height: 10 },
      { width: 20, height: 10 },
    ],
  ])('of %o fits as %o', (from, to) => {
    expect(fitInto(2048, from)).toEqual(to);
  });
});
