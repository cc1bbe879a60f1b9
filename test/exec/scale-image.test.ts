import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';

import { scaleImageCommand } from '../../src/exec/scale-image.js';
import { crc32 } from '../../src/images/crc32.js';
import { animation } from '../images/animation.js';
import { testSandbox } from '../support/confined.js';
import { tempFolder } from '../support/temp-folder.js';

type Header = { readonly bytes?: number; readonly problem?: string };

/** Runs the companion on a file with this content. */
async function scale(
  content: Uint8Array,
  { side = 100, most = 1_000_000 } = {},
): Promise<{ readonly header: Header; readonly image: Buffer }> {
  const file = path.join(tempFolder(), 'image[0].txt');
  writeFileSync(file, content);
  const [program = '', ...args] = (await scaleImageCommand()) ?? [];
  const run = promisify(execFile);
  const { stdout } = await run(program, [...args, file, String(side), String(most)], { encoding: 'buffer' });
  const lineEnd = stdout.indexOf('\n');
  return { header: JSON.parse(stdout.subarray(0, lineEnd).toString()) as Header, image: stdout.subarray(lineEnd + 1) };
}

const plain = (width: number, height: number, background = 'teal') =>
  sharp({ create: { width, height, channels: 4, background } });
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 }, background: 'red' },
  });

/** The same PNG, which says that it is larger. */
function resized(png: Buffer, width: number, height: number): Buffer {
  const file = Buffer.from(png);
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  file.writeUInt32BE(crc32(file.subarray(12, 29)), 29);
  return file;
}

async function facts(image: Buffer) {
  const { format, width, height, hasAlpha, orientation } = await sharp(image).metadata();
  return { format, width, height, hasAlpha, orientation };
}

describe('an image', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('of %s is made to fit', async (format) => {
    const { header, image } = await scale(await plain(300, 200).toFormat(format).toBuffer());
    expect(header).toEqual({ bytes: image.length });
    expect(await facts(image)).toMatchObject({ width: 100, height: 67 });
  });

  test('that is small keeps its size', async () => {
    const { image } = await scale(await plain(30, 20).png().toBuffer());
    expect(await facts(image)).toMatchObject({ width: 30, height: 20 });
  });

  test('with few colours becomes a PNG, one with many a JPEG', async () => {
    expect(await facts((await scale(await plain(300, 300).jpeg().toBuffer())).image)).toMatchObject({ format: 'png' });
    expect(await facts((await scale(await noise(90, 90).png().toBuffer())).image)).toMatchObject({ format: 'jpeg' });
  });

  test.each(['srgb', 'b-w', 'grey16'])('that one can see through stays so in the colours of %s', async (colours) => {
    const seeThrough = await noise(90, 90).ensureAlpha(0.5).toColourspace(colours).png().toBuffer();
    expect(await facts((await scale(seeThrough)).image)).toMatchObject({ format: 'png', hasAlpha: true });
  });

  test('that lies on its side is turned, and says nothing of it any more', async () => {
    const file = await plain(300, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { image } = await scale(file);
    expect(await facts(image)).toMatchObject({ width: 67, height: 100, orientation: undefined });
  });

  test('in the colours of print becomes one in those of a screen', async () => {
    const file = await plain(30, 20).toColourspace('cmyk').jpeg().toBuffer();
    expect(await sharp(file).metadata()).toMatchObject({ space: 'cmyk' });
    expect(await sharp((await scale(file)).image).metadata()).toMatchObject({ space: 'srgb' });
  });

  test.each([20_000, 2_000, 700])('gets worse and then smaller until it has %i bytes', async (most) => {
    const { image } = await scale(await noise(200, 200).png().toBuffer(), { side: 200, most });
    expect(image.length).toBeLessThanOrEqual(most);
    const { width } = await facts(image);
    if (most === 20_000) expect(width).toBe(200);
    else expect(width).toBeLessThan(200);
  });

  test.each(['gif', 'webp'] as const)('of %s that moves shows its first frame', async (format) => {
    const { image } = await scale(await animation(format, { width: 300, height: 200 }));
    expect(await facts(image)).toMatchObject({ width: 100, height: 67 });
    expect([...(await sharp(image).removeAlpha().raw().toBuffer())].every((value) => value === 255)).toBe(true);
  });
});

describe('what is no image of these formats', () => {
  test.each([
    ['nonsense', async () => Buffer.from('nonsense')],
    ['nothing', async () => Buffer.alloc(0)],
    ['a drawing', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a TIFF', () => plain(9, 9).tiff().toBuffer()],
    ['a cut JPEG', async () => (await noise(90, 90).jpeg().toBuffer()).subarray(0, 900)],
  ])('%s is refused', async (_, content) => {
    const { header, image } = await scale(await content());
    expect(header).toEqual({ problem: expect.any(String) });
    expect(image.length).toBe(0);
  });

  test('more than 100 megapixels are refused before they are decoded', async () => {
    const { header } = await scale(resized(await plain(9, 9).png().toBuffer(), 10_001, 10_000));
    expect(header.problem).toContain('exceeds pixel limit');
  });

  test('a file that is not there ends it with another exit code than 0', async () => {
    const [program = '', ...args] = (await scaleImageCommand()) ?? [];
    const run = promisify(execFile)(program, [...args, path.join(tempFolder(), 'none'), '9', '9']);
    await expect(run).rejects.toMatchObject({ code: expect.any(Number) });
  });
});

test('it works in a sandbox', async () => {
  const sandbox = testSandbox();
  const file = path.join(sandbox.outside, 'workspace/large.png');
  await plain(3000, 30).png().toFile(file);
  const { exit, output } = await sandbox.run(...((await scaleImageCommand()) ?? []), file, '2048', '3500000');
  expect(exit).toEqual({ kind: 'exited', code: 0 });
  expect(output).toMatch(/^\{"bytes":\d+\}\n/);
});
