import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';

import { bmpToPng } from '../../src/images/bmp-to-png.js';
import { identifyImage } from '../../src/images/identify.js';
import { propertyRuns } from '../support/property-runs.js';
import { packRunLengths, writeBmp } from './write-bmp.js';

const BOUNDS = { maxSide: 2_048, maxBytes: 3_500_000, signal: new AbortController().signal };

/** Red, green, blue and opacity of each pixel, as another decoder sees our PNG. */
async function shown(bmp: Uint8Array): Promise<readonly number[] | undefined> {
  const made = await bmpToPng(bmp, BOUNDS);
  if (made === undefined) return undefined;
  const { data, info } = await sharp(made.png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: made.width, height: made.height });
  return [...data];
}

const byte = fc.integer({ min: 0, max: 255 });
const grid = (value: fc.Arbitrary<number>) =>
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9 }))
    .chain(([width, height]) =>
      fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: height, maxLength: height }),
    );
const sizeOf = (rows: readonly (readonly number[])[]) => ({ width: rows[0]?.length ?? 0, height: rows.length });

describe('a BMP with a palette', () => {
  test('is shown in the colours of its palette, whatever its bits and header', async () => {
    const anyBmp = fc.record({
      bits: fc.constantFrom(1, 2, 4, 8),
      headerBytes: fc.constantFrom(12, 40, 52, 56, 64, 108, 124),
      topDown: fc.boolean(),
      palette: fc.array(fc.tuple(byte, byte, byte), { minLength: 256, maxLength: 256 }),
      numbers: grid(byte),
    });
    await fc.assert(
      fc.asyncProperty(anyBmp, async ({ bits, numbers, ...rest }) => {
        const pixels = numbers.map((row) => row.map((value) => value % 2 ** bits));
        const palette = rest.palette.slice(0, 2 ** bits);
        const topDown = rest.topDown && rest.headerBytes !== 12;
        const bmp = writeBmp({ ...rest, ...sizeOf(pixels), bits, topDown, palette, pixels });
        const colours = pixels.flat().flatMap((value) => {
          const [blue = 0, green = 0, red = 0] = palette[value] ?? [];
          return [red, green, blue, 255];
        });
        expect(await shown(bmp)).toEqual(colours);
      }),
      propertyRuns(60),
    );
  });

  test('is unpacked from run lengths', async () => {
    const palette = Array.from({ length: 256 }, (_, index) => [index, 255 - index, index ^ 85] as const);
    await fc.assert(
      fc.asyncProperty(
        grid(fc.oneof(fc.constant(0), fc.constant(7), byte)),
        fc.boolean(),
        fc.infiniteStream(fc.nat(100)),
        async (numbers, nibbles, choices) => {
          const pixels = numbers.map((row) => row.map((value) => (nibbles ? value % 16 : value)));
          const packed = packRunLengths(pixels, nibbles, () => choices.next().value ?? 0);
          const bmp = writeBmp({
            ...sizeOf(pixels),
            bits: nibbles ? 4 : 8,
            compression: nibbles ? 2 : 1,
            palette: palette.slice(0, nibbles ? 16 : 256),
            pixels: packed,
          });
          const colours = pixels.flat().flatMap((value) => [value ^ 85, 255 - value, value, 255]);
          expect(await shown(bmp)).toEqual(colours);
        },
      ),
      propertyRuns(60),
    );
  });

  test('has colour 0 wherever no step of its run lengths leads', async () => {
    const palette = [
      [0, 0, 0],
      [0, 0, 255],
    ] as const;
    const jump = [1, 1, 0, 2, 1, 1, 1, 1, 0, 1];
    const bmp = writeBmp({ width: 3, height: 3, bits: 8, compression: 1, palette, pixels: Uint8Array.from(jump) });
    const [black, red] = [
      [0, 0, 0, 255],
      [255, 0, 0, 255],
    ];
    expect(await shown(bmp)).toEqual(
      [
        [black, black, black],
        [black, black, red],
        [red, black, black],
      ].flat(2),
    );
  });

  test('is black where it has a number beyond its palette', async () => {
    const bmp = writeBmp({ width: 2, height: 1, bits: 8, palette: [[1, 2, 3]], pixels: [[0, 200]] });
    expect(await shown(bmp)).toEqual([3, 2, 1, 255, 0, 0, 0, 255]);
  });
});

describe('a BMP without a palette', () => {
  test('is shown in its own colours', async () => {
    await fc.assert(
      fc.asyncProperty(
        grid(fc.nat(0xffffff)),
        fc.constantFrom(24, 32),
        fc.boolean(),
        fc.constantFrom(16, 40, 124),
        async (pixels, bits, topDown, headerBytes) => {
          const bmp = writeBmp({ ...sizeOf(pixels), bits, topDown, headerBytes, pixels });
          const colours = pixels.flat().flatMap((value) => [value >> 16, (value >> 8) & 255, value & 255, 255]);
          expect(await shown(bmp)).toEqual(colours);
        },
      ),
      propertyRuns(60),
    );
  });

  test.each([
    {
      name: 'five bits a channel unless told otherwise',
      bits: 16,
      pixel: 0b0_11111_00000_00001,
      colour: [255, 0, 8, 255],
    },
    { name: 'six bits of green', bits: 16, masks: [0xf800, 0x07e0, 0x001f], pixel: 0xf820, colour: [255, 4, 0, 255] },
    {
      name: 'four bits with opacity',
      bits: 16,
      masks: [0x0f00, 0x00f0, 0x000f, 0xf000],
      pixel: 0x8f0f,
      colour: [255, 0, 255, 136],
    },
    {
      name: 'any order',
      bits: 32,
      masks: [0xff, 0xff00, 0xff0000, 0xff000000],
      pixel: 0x80302010,
      colour: [16, 32, 48, 128],
    },
    {
      name: 'ten bits a channel',
      bits: 32,
      masks: [0x3ff00000, 0xffc00, 0x3ff],
      pixel: 0x3ff00001,
      colour: [255, 0, 0, 255],
    },
  ])('has $name', async ({ bits, masks, pixel, colour }) => {
    const headers = masks?.length === 4 ? [56, 108, 124] : [40, 52];
    for (const headerBytes of headers) {
      const masked = masks && { masks, compression: 3 };
      const bmp = writeBmp({ width: 1, height: 1, bits, headerBytes, ...masked, pixels: [[pixel]] });
      expect(await shown(bmp)).toEqual(colour);
    }
  });

  test('is opaque when it announces opacity and has none anywhere', async () => {
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000];
    const bmp = writeBmp({
      width: 2,
      height: 1,
      bits: 32,
      headerBytes: 124,
      compression: 3,
      masks,
      pixels: [[1, 0xff0000]],
    });
    expect(await shown(bmp)).toEqual([0, 0, 1, 255, 255, 0, 0, 255]);
  });

  test('cannot be read when some of it is missing', async () => {
    const bmp = writeBmp({ width: 5, height: 5, bits: 24, pixels: Array.from({ length: 5 }, () => [1, 2, 3, 4, 5]) });
    expect(await bmpToPng(bmp.subarray(0, -2), BOUNDS)).toBeUndefined();
    expect(await bmpToPng(bmp.subarray(0, -1), BOUNDS)).toBeDefined();
  });

  test('cannot be read when it is packed as JPEG', async () => {
    expect(await shown(writeBmp({ width: 1, height: 1, bits: 24, compression: 4, pixels: [[1]] }))).toBeUndefined();
  });
});

describe('a large BMP', () => {
  test('becomes as small as asked', async () => {
    const pixels = Array.from({ length: 50 }, () => Array.from({ length: 100 }, () => 0x102030));
    const made = await bmpToPng(writeBmp({ width: 100, height: 50, bits: 24, pixels }), { ...BOUNDS, maxSide: 30 });
    expect(made).toMatchObject({ width: 30, height: 15 });
  });

  test('becomes smaller until it has few enough bytes', async () => {
    let state = 1;
    const noise = () => (state = (state * 48_271) % 2_147_483_647) & 0xffffff;
    const pixels = Array.from({ length: 60 }, () => Array.from({ length: 90 }, noise));
    const made = await bmpToPng(writeBmp({ width: 90, height: 60, bits: 24, pixels }), { ...BOUNDS, maxBytes: 5_000 });
    expect(made?.png.length).toBeLessThanOrEqual(5_000);
    expect(made?.width).toBeGreaterThan(30);
    expect((made?.width ?? 0) / (made?.height ?? 1)).toBeCloseTo(1.5, 1);
  });

  test('is given up when nobody waits for it any more', async () => {
    const bmp = writeBmp({ width: 5_000, height: 5_000, bits: 8, compression: 1, pixels: Uint8Array.from([0, 1]) });
    const stop = new AbortController();
    const made = bmpToPng(bmp, { ...BOUNDS, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(made).rejects.toThrow('enough');
  });
});

test('bytes that only begin like a BMP are read or refused, never a crash', async () => {
  const sound = [
    writeBmp({ width: 4, height: 3, bits: 24, pixels: Array.from({ length: 3 }, () => [1, 2, 3, 4]) }),
    writeBmp({
      width: 4,
      height: 3,
      bits: 4,
      compression: 2,
      pixels: Uint8Array.from([4, 18, 0, 0, 0, 2, 1, 1, 0, 1]),
    }),
    writeBmp({
      width: 2,
      height: 1,
      bits: 32,
      headerBytes: 124,
      compression: 3,
      masks: [1, 2, 4, 8],
      pixels: [[1, 2]],
    }),
  ];
  const edits = fc.array(fc.tuple(fc.nat(200), byte), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...sound), edits, fc.nat(200), async (bmp, changes, length) => {
      const bytes = Buffer.from(bmp).subarray(0, Math.max(14, bmp.length - (length % 40)));
      for (const [at, value] of changes) if (at >= 2 && at < bytes.length) bytes[at] = value;
      const facts = identifyImage(bytes);
      if (facts === undefined || facts.width * facts.height > 1_000_000) return;
      const made = await bmpToPng(bytes, { ...BOUNDS, maxSide: 8 });
      if (made !== undefined) expect(Math.max(made.width, made.height)).toBeLessThanOrEqual(8);
    }),
    propertyRuns(300),
  );
});
