import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';

import { encodePng } from '../../src/images/encode-png.js';
import { identifyImage, isWhole } from '../../src/images/identify.js';
import type { Pixels } from '../../src/images/image.js';
import { propertyRuns } from '../support/property-runs.js';

const encode = (pixels: Pixels) => encodePng(pixels, () => undefined);

const anyPixels = fc
  .record({ width: fc.integer({ min: 1, max: 30 }), height: fc.integer({ min: 1, max: 30 }), opaque: fc.boolean() })
  .chain(({ width, height, opaque }) =>
    fc
      .oneof(
        fc.uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 }),
        // Smooth, so that each filter is the best one for some row.
        fc
          .tuple(fc.nat(9), fc.nat(9), fc.nat(255))
          .map(([across, down, start]) =>
            Uint8Array.from(
              { length: width * height * 4 },
              (_, index) => start + across * ((index >> 2) % width) + down * Math.floor(index / 4 / width),
            ),
          ),
      )
      .map((bytes) => ({ width, height, rgba: opaque ? bytes.map((each, at) => (at % 4 === 3 ? 255 : each)) : bytes })),
  );

describe('a PNG', () => {
  test('has the pixels it was made of, as another decoder sees it', async () => {
    await fc.assert(
      fc.asyncProperty(anyPixels, async (pixels) => {
        const png = await encode(pixels);
        const { width, height } = pixels;
        expect(identifyImage(png)).toEqual({ format: 'png', width, height, animated: false });
        expect(isWhole('png', png)).toBe(true);
        expect([...(await sharp(png).ensureAlpha().raw().toBuffer())]).toEqual([...pixels.rgba]);
      }),
      propertyRuns(100),
    );
  });

  test('of opaque pixels has no opacity', async () => {
    const rgba = Uint8Array.from([1, 2, 3, 255]);
    expect(await sharp(await encode({ width: 1, height: 1, rgba })).metadata()).toMatchObject({ channels: 3 });
    rgba[3] = 254;
    expect(await sharp(await encode({ width: 1, height: 1, rgba })).metadata()).toMatchObject({ channels: 4 });
  });

  test('of a smooth picture is much smaller than its pixels', async () => {
    const rgba = Uint8Array.from({ length: 256 * 256 * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at >> 2) + (at >> 10)));
    expect((await encode({ width: 256, height: 256, rgba })).length).toBeLessThan(rgba.length / 100);
  });
});
