/**
 * Makes a picture smaller while its rows come in: each new pixel is the mean of the area it covers, weighted by opacity,
 * since the colour of what cannot be seen does not count.
 */
import type { Pixels, Size } from './image.js';

export interface Shrinker {
  /** Takes the next row, from the top. */
  add(row: Uint8Array): void;
  /** After the last row. */
  finish(): Pixels;
}

/** `to` must not be larger than `from`. */
export function createShrinker(from: Size, to: Size): Shrinker {
  const rgba = new Uint8Array(to.width * to.height * 4);
  const columns = columnShares(from.width, to.width);
  const narrow = new Float64Array(to.width * 4);
  let sum = new Float64Array(to.width * 4);
  let taken = 0;
  let done = 0;

  /** Adds a share of the narrowed row to the row that is being made. */
  const blend = (share: number): void => {
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (narrow[index] ?? 0) * share;
  };

  const complete = (): void => {
    writeRow(rgba.subarray(done * to.width * 4, (done + 1) * to.width * 4), sum, from, to);
    sum = new Float64Array(to.width * 4);
    done += 1;
  };

  return {
    add(row) {
      narrowRow(row, columns, narrow);
      taken += 1;
      // In whole numbers, so that no rounding can lose the last row.
      const beyond = taken * to.height - (done + 1) * from.height;
      const share = Math.max(0, beyond) / to.height;
      blend(1 - share);
      if (beyond < 0) return;
      complete();
      if (beyond > 0) blend(share);
    },
    finish: () => ({ ...to, rgba }),
  };
}

/** For each old column: the new one it falls into, and how much of it falls into the one after. */
type ColumnShares = { readonly into: Int32Array; readonly beyond: Float64Array };

function columnShares(from: number, to: number): ColumnShares {
  const into = new Int32Array(from);
  const beyond = new Float64Array(from);
  for (let x = 0; x < from; x += 1) {
    const column = Math.floor((x * to) / from);
    into[x] = column;
    beyond[x] = Math.max(0, (x + 1) * to - (column + 1) * from) / to;
  }
  return { into, beyond };
}

function narrowRow(row: Uint8Array, { into, beyond }: ColumnShares, narrow: Float64Array): void {
  narrow.fill(0);
  for (let x = 0; x < into.length; x += 1) {
    const share = beyond[x] ?? 0;
    const at = (into[x] ?? 0) * 4;
    const opacity = row[x * 4 + 3] ?? 0;
    addPixel(row, x * 4, narrow, at, opacity * (1 - share));
    if (share > 0) addPixel(row, x * 4, narrow, at + 4, opacity * share);
  }
}

// oxlint-disable-next-line max-params -- an object for each pixel would take longer than all the rest.
function addPixel(row: Uint8Array, from: number, sum: Float64Array, at: number, weight: number): void {
  sum[at] = (sum[at] ?? 0) + (row[from] ?? 0) * weight;
  sum[at + 1] = (sum[at + 1] ?? 0) + (row[from + 1] ?? 0) * weight;
  sum[at + 2] = (sum[at + 2] ?? 0) + (row[from + 2] ?? 0) * weight;
  sum[at + 3] = (sum[at + 3] ?? 0) + weight;
}

function writeRow(out: Uint8Array, sum: Float64Array, from: Size, to: Size): void {
  const area = (from.width / to.width) * (from.height / to.height);
  for (let at = 0; at < out.length; at += 4) {
    const weight = sum[at + 3] ?? 0;
    if (weight === 0) continue;
    for (let index = at; index < at + 3; index += 1) out[index] = Math.round((sum[index] ?? 0) / weight);
    out[at + 3] = Math.round(weight / area);
  }
}
