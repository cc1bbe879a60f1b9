import fc from 'fast-check';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';

import { stillGif } from '../../src/images/gif.js';
import { identifyImage, isWhole } from '../../src/images/identify.js';
import type { SentFormat } from '../../src/images/identify.js';
import { propertyRuns } from '../support/property-runs.js';
import { animation } from './animation.js';
import { writeBmp } from './write-bmp.js';

const SIZE = { width: 337, height: 5 };

/** A small picture with some colours. */
function picture({ width, height } = SIZE, channels: 3 | 4 = 3): Sharp {
  const bytes = Uint8Array.from({ length: width * height * channels }, (_, index) => (index * 7) % 256);
  return sharp(bytes, { raw: { width, height, channels } });
}

const MADE: Readonly<Record<string, () => Promise<Buffer>>> = {
  png: () => picture().png().toBuffer(),
  'interlaced png with a palette': () => picture().png({ palette: true, progressive: true }).toBuffer(),
  jpeg: () => picture().jpeg().toBuffer(),
  'progressive jpeg': () => picture().jpeg({ progressive: true }).toBuffer(),
  gif: () => picture().gif().toBuffer(),
  webp: () => picture().webp().toBuffer(),
  'lossless webp': () => picture().webp({ lossless: true }).toBuffer(),
  'webp with opacity': () => picture(SIZE, 4).webp().toBuffer(),
};

const files = new Map<string, Buffer>();
const fileOf = (name: string): Buffer => files.get(name) ?? Buffer.alloc(0);
const formatOf = (name: string) => /png|jpeg|gif|webp/.exec(name)?.[0] as SentFormat;

beforeAll(async () => {
  for (const [name, make] of Object.entries(MADE)) files.set(name, await make());
});

describe.each(Object.keys(MADE))('%s', (name) => {
  test('is known with its size, and as whole', () => {
    expect(identifyImage(fileOf(name))).toEqual({ format: formatOf(name), ...SIZE, animated: false });
    expect(isWhole(formatOf(name), fileOf(name))).toBe(true);
  });

  test('cut off anywhere is either not known or known with its size, and not as whole', () => {
    const file = fileOf(name);
    // The last byte of a GIF says only that nothing follows; that of a WebP may be padding.
    const needed = formatOf(name) === 'gif' ? file.length - 1 : file.length;
    for (let length = 0; length < needed; length += 1) {
      const facts = identifyImage(file.subarray(0, length));
      if (facts !== undefined) expect(facts).toEqual({ format: formatOf(name), ...SIZE, animated: false });
      expect(isWhole(formatOf(name), file.subarray(0, length))).toBe(false);
    }
  });
});

test('any size is told', async () => {
  const side = fc.integer({ min: 1, max: 300 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ width: side, height: side }),
      fc.constantFrom('png', 'jpeg', 'gif', 'webp'),
      fc.boolean(),
      async (size, format, lossless) => {
        const file = await sharp({ create: { ...size, channels: 4, background: '#8040' } })
          .toFormat(format, { lossless })
          .toBuffer();
        expect(identifyImage(file)).toEqual({ format, ...size, animated: false });
        expect(isWhole(format, file)).toBe(true);
      },
    ),
    propertyRuns(40),
  );
});

describe('a photo that is turned', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('by orientation %i has the size it is shown in', async (orientation) => {
    const file = await picture().withMetadata({ orientation }).jpeg().toBuffer();
    const shown = await sharp(file).rotate().png().toBuffer();
    expect(identifyImage(file)).toEqual({ ...identifyImage(shown), format: 'jpeg' });
  });

  test.each([
    ['little', 'Exif\0\0II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0'],
    ['big', 'Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0'],
  ])('says so with the %s end of numbers first', (_, exif) => {
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), Buffer.from(exif, 'latin1')]);
    const file = fileOf('jpeg');
    const turned = Buffer.concat([file.subarray(0, 2), segment, file.subarray(2)]);
    expect(identifyImage(turned)).toMatchObject({ width: SIZE.height, height: SIZE.width });
  });
});

describe('an animation', () => {
  test.each(['gif', 'webp'] as const)('of %s is known as one', async (format) => {
    const file = await animation(format);
    expect(identifyImage(file)).toEqual({ format, width: 8, height: 6, animated: true });
    expect(isWhole(format, file)).toBe(true);
  });

  test('of GIF becomes still, and shows its first frame', async () => {
    const file = await animation('gif');
    const still = stillGif(file);
    expect(identifyImage(still)).toEqual({ format: 'gif', width: 8, height: 6, animated: false });
    expect(still.length).toBeLessThan(file.length);
    const pixels = (bytes: Uint8Array) => sharp(bytes, { pages: 1 }).raw().toBuffer();
    expect(await pixels(still)).toEqual(await pixels(file));
  });
});

test('a GIF whose screen has no size has that of its first picture', () => {
  const file = Buffer.from(fileOf('gif'));
  file.fill(0, 6, 10);
  expect(identifyImage(file)).toMatchObject(SIZE);
});

test('a PNG with a bit turned over is not whole', () => {
  const file = fileOf('png');
  const pixels = file.indexOf('IDAT');
  fc.assert(
    fc.property(fc.integer({ min: pixels, max: file.length - 1 }), fc.nat(7), (at, bit) => {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      expect(isWhole('png', damaged)).toBe(false);
    }),
    propertyRuns(200),
  );
});

test('a PNG without pixels is not whole', () => {
  const file = fileOf('png');
  const [pixels, end] = [file.indexOf('IDAT') - 4, file.indexOf('IEND') - 4];
  expect(isWhole('png', Buffer.concat([file.subarray(0, pixels), file.subarray(end)]))).toBe(false);
});

test('a JPEG may have its tables before its size', () => {
  const file = fileOf('jpeg');
  const table = Buffer.from([0xff, 0xc4, 0, 9, 1, 2, 3, 4, 5, 6, 7]);
  expect(identifyImage(Buffer.concat([file.subarray(0, 2), table, file.subarray(2)]))).toMatchObject(SIZE);
});

test.each([12, 16, 40, 52, 56, 64, 108, 124])(
  'a BMP with a header of %i bytes is known with its size',
  (headerBytes) => {
    const pixels = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const facts = { format: 'bmp', width: 3, height: 2, animated: false };
    expect(identifyImage(writeBmp({ width: 3, height: 2, bits: 24, headerBytes, pixels }))).toEqual(facts);
    if (headerBytes === 12) return;
    expect(identifyImage(writeBmp({ width: 3, height: 2, bits: 24, headerBytes, topDown: true, pixels }))).toEqual(
      facts,
    );
  },
);

describe('any bytes', () => {
  const BEGINNINGS = ['', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', '\xff\xd8\xff', 'GIF89a', 'RIFF\x40\0\0\0WEBPVP8X', 'BM'];
  const FORMATS = ['png', 'jpeg', 'gif', 'webp'] as const;
  const isSane = (bytes: Uint8Array): void => {
    const facts = identifyImage(bytes);
    for (const format of FORMATS) expect(typeof isWhole(format, bytes)).toBe('boolean');
    expect(stillGif(bytes).length).toBeLessThanOrEqual(bytes.length + 2);
    if (facts === undefined) return;
    for (const side of [facts.width, facts.height]) {
      expect(side).toBeGreaterThan(0);
      expect(Number.isSafeInteger(side)).toBe(true);
    }
  };

  test('after the beginning of an image are told apart without a crash', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BEGINNINGS), fc.uint8Array({ maxLength: 300, size: 'max' }), (beginning, rest) =>
        isSane(Buffer.concat([Buffer.from(beginning, 'latin1'), rest])),
      ),
      propertyRuns(1_000),
    );
  });

  test('in the place of some of an image are told apart without a crash', () => {
    const edits = fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(MADE)), edits, (name, changes) => {
        const bytes = Buffer.from(fileOf(name));
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        isSane(bytes);
      }),
      propertyRuns(500),
    );
  });
});
