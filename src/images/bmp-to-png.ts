/** A BMP as a PNG that is small enough. It lets others have their turn, since this can take a second or two. */
import { bmpRows } from './bmp-rows.js';
import { readBmpHeader } from './bmp.js';
import { encodePng } from './encode-png.js';
import { fitInto } from './image.js';
import type { Pixels, Size } from './image.js';
import { createPace } from './pace.js';
import type { Pace } from './pace.js';
import { createShrinker } from './shrink.js';

export type PngBounds = { readonly maxSide: number; readonly maxBytes: number; readonly signal: AbortSignal };

/** Undefined when it cannot be read. */
export async function bmpToPng(bytes: Uint8Array, bounds: PngBounds): Promise<(Size & { png: Buffer }) | undefined> {
  const header = readBmpHeader(bytes);
  const rows = header && bmpRows(bytes, header);
  if (header === undefined || rows === undefined) return undefined;
  const pace = createPace(bounds.signal);
  const stored = await shrinkRows(rows, header, fitInto(bounds.maxSide, header), pace);
  let pixels = header.topDown ? stored : upsideDown(stored);
  for (;;) {
    const png = await encodePng(pixels, pace);
    const { width, height } = pixels;
    if (png.length <= bounds.maxBytes || (width === 1 && height === 1)) return { png, width, height };
    pixels = await shrinkRows(rowsOf(pixels), pixels, nextSize(pixels, png.length, bounds), pace);
  }
}

async function shrinkRows(rows: Iterable<Uint8Array>, from: Size, to: Size, pace: Pace): Promise<Pixels> {
  const shrinker = createShrinker(from, to);
  for (const row of rows) {
    shrinker.add(row);
    const wait = pace(from.width);
    if (wait) await wait;
  }
  return shrinker.finish();
}

/** Bytes grow with the area; a little less than that, so that it does not take many rounds. */
function nextSize(size: Size, bytes: number, { maxBytes }: PngBounds): Size {
  const scale = Math.min(0.9, Math.sqrt(maxBytes / bytes) * 0.95);
  return fitInto(Math.max(1, Math.floor(Math.max(size.width, size.height) * scale)), size);
}

function* rowsOf({ width, height, rgba }: Pixels): Generator<Uint8Array> {
  for (let y = 0; y < height; y += 1) yield rgba.subarray(y * width * 4, (y + 1) * width * 4);
}

function upsideDown(pixels: Pixels): Pixels {
  const rgba = new Uint8Array(pixels.rgba.length);
  let at = rgba.length;
  for (const row of rowsOf(pixels)) rgba.set(row, (at -= row.length));
  return { ...pixels, rgba };
}
