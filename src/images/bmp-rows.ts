/** The rows of a BMP one at a time, in the order of the file, so that even a very large one needs little memory. */
import { runLengthRows } from './bmp-run-lengths.js';
import type { BmpHeader } from './bmp.js';
import { byteAt, little16, little24, little32 } from './numbers.js';

/** Each row is overwritten by the next one. Undefined when it is not all there, or packed in a way we do not know. */
export function bmpRows(bytes: Uint8Array, header: BmpHeader): Iterable<Uint8Array> | undefined {
  const { packing, pixelsAt, width, height, bits } = header;
  if (packing === undefined || pixelsAt >= bytes.length) return undefined;
  const pixels = bytes.subarray(pixelsAt);
  if (packing === 'rle8' || packing === 'rle4') {
    return coloured(runLengthRows(pixels, { width, height, nibbles: packing === 'rle4' }), bytes, header);
  }
  // The last row need not be padded.
  const rowBytes = Math.ceil((width * bits) / 8);
  const stride = Math.ceil(rowBytes / 4) * 4;
  if ((height - 1) * stride + rowBytes > pixels.length) return undefined;
  const rows = packedRows(pixels, { stride, rowBytes, height });
  if (bits <= 8) return coloured(unpacked(rows, header), bytes, header);
  return direct(rows, header, readMasks(bytes, header, pixels));
}

function* packedRows(
  pixels: Uint8Array,
  { stride, rowBytes, height }: { readonly stride: number; readonly rowBytes: number; readonly height: number },
): Generator<Uint8Array> {
  for (let row = 0; row < height; row += 1) yield pixels.subarray(row * stride, row * stride + rowBytes);
}

/** One colour number a byte. */
function* unpacked(rows: Iterable<Uint8Array>, { width, bits }: BmpHeader): Generator<Uint8Array> {
  const numbers = new Uint8Array(width);
  const mask = 2 ** bits - 1;
  for (const row of rows) {
    for (let x = 0; x < width; x += 1) {
      const bit = x * bits;
      numbers[x] = (byteAt(row, bit >> 3) >> (8 - bits - (bit & 7))) & mask;
    }
    yield numbers;
  }
}

/** A number that has no colour is black. */
function* coloured(rows: Iterable<Uint8Array>, bytes: Uint8Array, header: BmpHeader): Generator<Uint8Array> {
  const { at, entryBytes } = header.palette;
  const known = Math.min(2 ** header.bits, Math.floor((header.pixelsAt - at) / entryBytes));
  const palette = new Uint32Array(256);
  for (let index = 0; index < known; index += 1) palette[index] = little24(bytes, at + index * entryBytes);
  const out = new Uint8Array(header.width * 4);
  for (const row of rows) {
    for (let x = 0; x < header.width; x += 1) {
      const colour = palette[byteAt(row, x)] ?? 0;
      out[x * 4] = colour >>> 16;
      out[x * 4 + 1] = colour >>> 8;
      out[x * 4 + 2] = colour;
      out[x * 4 + 3] = 255;
    }
    yield out;
  }
}

/** Where a channel is in a pixel, and its largest value; 0 when there is no such channel. */
type Channel = { readonly shift: number; readonly most: number };

function* direct(
  rows: Iterable<Uint8Array>,
  { width, bits }: BmpHeader,
  channels: readonly Channel[],
): Generator<Uint8Array> {
  const read = { 16: little16, 24: little24, 32: little32 }[bits as 16 | 24 | 32];
  const step = bits / 8;
  const out = new Uint8Array(width * 4);
  for (const row of rows) {
    for (let x = 0; x < width; x += 1) {
      const pixel = read(row, x * step);
      for (let index = 0; index < 4; index += 1) out[x * 4 + index] = valueOf(pixel, channels[index], index);
    }
    yield out;
  }
}

function valueOf(pixel: number, channel: Channel | undefined, index: number): number {
  if (channel === undefined || channel.most === 0) return index === 3 ? 255 : 0;
  const value = (pixel >>> channel.shift) & channel.most;
  return channel.most === 255 ? value : Math.round(((value >>> 0) * 255) / channel.most);
}

const USUAL_MASKS: Readonly<Record<number, readonly number[]>> = {
  16: [0x7c00, 0x03e0, 0x001f, 0],
  24: [0xff0000, 0xff00, 0xff, 0],
  32: [0xff0000, 0xff00, 0xff, 0],
};

function readMasks(bytes: Uint8Array, header: BmpHeader, pixels: Uint8Array): readonly Channel[] {
  const { at, count } = header.masks;
  if (header.packing === 'none') return (USUAL_MASKS[header.bits] ?? []).map(channelOf);
  const masks = [0, 1, 2, 3].map((index) => (index < count ? little32(bytes, at + 4 * index) : 0));
  // Many programs announce opacity and then leave it zero everywhere.
  const isSeen = isUsed(masks[3] ?? 0, header.bits, pixels);
  return masks.map((mask, index) => channelOf(index === 3 && !isSeen ? 0 : mask));
}

function isUsed(mask: number, bits: number, pixels: Uint8Array): boolean {
  if (mask === 0) return false;
  const [read, step] = bits === 16 ? [little16, 2] : [little32, 4];
  for (let at = 0; at < pixels.length; at += step) if ((read(pixels, at) & mask) !== 0) return true;
  return false;
}

function channelOf(mask: number): Channel {
  if (mask === 0) return { shift: 0, most: 0 };
  const shift = 31 - Math.clz32(mask & -mask);
  return { shift, most: mask >>> shift };
}
