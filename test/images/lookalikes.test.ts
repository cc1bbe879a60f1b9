import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';

import { lookalike } from '../../src/images/lookalikes.js';
import { propertyRuns } from '../support/property-runs.js';

const what = (bytes: Uint8Array) => lookalike(bytes)?.what;

describe('a file that is no image we can show', () => {
  test.each([
    ['%PDF-1.7\n%\xe2\xe3', 'a PDF document'],
    ['\0\0\0\x1cftypheic\0\0\0\0mif1', 'a HEIC image'],
    ['\0\0\0\x20ftypisom\0\0\x02\0', 'a video'],
    ['MM\0\x2a\0\0\0\x08', 'a TIFF image'],
    ['\0\0\x01\0\x01\0\x10\x10', 'an icon (ICO)'],
    ['PK\x03\x04\x14\0', 'a ZIP archive'],
    ['\x1f\x8b\x08\0', 'compressed with gzip'],
    ['version https://git-lfs.github.com/spec/v1\n', 'a pointer of Git LFS, not the image itself'],
    ['<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG drawing'],
    ['<p>no picture</p>', 'a text file'],
    ['\x89PNG\r\n\x1a\nsomething', 'damaged, cut off or of an unusual kind'],
    ['', 'empty'],
    ['\x01\x02\x03\x04', undefined],
  ])('%j is %s', (content, expected) => {
    expect(what(Buffer.from(content, 'latin1'))).toBe(expected);
  });

  test('is known when others have made it', async () => {
    const square = sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } });
    expect(what(await square.clone().avif().toBuffer())).toBe('an AVIF image');
    expect(what(await square.clone().tiff().toBuffer())).toBe('a TIFF image');
  });

  test('is known as text where only its last character is cut off', () => {
    expect(what(Buffer.from('ä'.repeat(3_000)))).toBe('a text file');
    expect(what(Buffer.from(`a${'ä'.repeat(3_000)}`))).toBe('a text file');
    expect(what(Buffer.from('ä').subarray(0, 1))).toBeUndefined();
  });

  test('may be any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000, size: 'max' }), (bytes) => {
        expect(['string', 'undefined']).toContain(typeof what(bytes));
      }),
      propertyRuns(200),
    );
  });
});
