/**
 * The two run-length packings of BMP. Each step is two bytes: so many pixels of this colour, or, when the first is zero,
 *   0 → the row ends    1 → the picture ends    2 dx dy → go on further right and up    n → n pixels as they are.
 * Pixels that no step reaches have colour 0; those beyond the edge are dropped.
 */
import type { Size } from './image.js';
import { byteAt } from './numbers.js';

export type RunLengths = Size & {
  /** Two pixels a byte. */
  readonly nibbles: boolean;
};

/** All rows of the picture, each with one colour number a byte. A row is overwritten by the next one. */
export function* runLengthRows(bytes: Uint8Array, { width, height, nibbles }: RunLengths): Generator<Uint8Array> {
  const row = new Uint8Array(width);
  let rowsLeft = height;
  for (const ended of steps(bytes, row, nibbles)) {
    for (let each = 0; each < ended && rowsLeft > 0; each += 1) {
      yield row;
      row.fill(0);
      rowsLeft -= 1;
    }
    if (rowsLeft === 0) return;
  }
  for (; rowsLeft > 0; rowsLeft -= 1) {
    yield row;
    row.fill(0);
  }
}

/** Fills the row, and says whenever it and perhaps others after it are complete. */
function* steps(bytes: Uint8Array, row: Uint8Array, nibbles: boolean): Generator<number> {
  let x = 0;
  for (let at = 0; at + 1 < bytes.length;) {
    const [count, value] = [byteAt(bytes, at), byteAt(bytes, at + 1)];
    at += 2;
    if (count > 0) {
      x = fillRun(row, x, { count, value, nibbles });
    } else if (value === 0) {
      x = 0;
      yield 1;
    } else if (value === 1) {
      return;
    } else if (value === 2) {
      x += byteAt(bytes, at);
      yield byteAt(bytes, at + 1);
      at += 2;
    } else {
      const length = nibbles ? Math.ceil(value / 2) : value;
      x = copyPixels(row, x, { pixels: bytes.subarray(at, at + length), count: value, nibbles });
      at += length + (length % 2);
    }
  }
}

type Run = { readonly count: number; readonly value: number; readonly nibbles: boolean };

/** With two colours in its byte, a run alternates between them. */
function fillRun(row: Uint8Array, from: number, { count, value, nibbles }: Run): number {
  for (let index = 0; index < count; index += 1) row[from + index] = nibbles ? nibbleOf(value, index) : value;
  return from + count;
}

type Copy = { readonly pixels: Uint8Array; readonly count: number; readonly nibbles: boolean };

function copyPixels(row: Uint8Array, from: number, { pixels, count, nibbles }: Copy): number {
  for (let index = 0; index < count; index += 1) {
    row[from + index] = nibbles ? nibbleOf(byteAt(pixels, index >> 1), index) : byteAt(pixels, index);
  }
  return from + count;
}

function nibbleOf(byte: number, index: number): number {
  return index % 2 === 0 ? byte >> 4 : byte & 15;
}
