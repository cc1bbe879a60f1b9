/** Writes a BMP of any kind there is, from the numbers that stand in it. */
export type BmpParts = {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly topDown?: boolean;
  /** 12, 16, 40, 52, 56, 64, 108 or 124. Default 40. */
  readonly headerBytes?: number;
  readonly compression?: number;
  /** Blue, green, red. */
  readonly palette?: readonly (readonly [number, number, number])[];
  /** Red, green, blue, and opacity if there is any. */
  readonly masks?: readonly number[];
  /** Rows from the top, a number for each pixel; or packed bytes. */
  readonly pixels: readonly (readonly number[])[] | Uint8Array;
};

export function writeBmp(parts: BmpParts): Buffer {
  const { palette = [], masks = [], headerBytes = 40, topDown = false } = parts;
  const pixels = parts.pixels instanceof Uint8Array ? parts.pixels : packRows(parts.pixels, parts.bits, topDown);
  const header = headerOf(parts);
  const masksAfter = headerBytes === 40 ? uint32s(masks) : Buffer.alloc(0);
  const colours = Buffer.concat(palette.map((colour) => Buffer.from(headerBytes === 12 ? colour : [...colour, 0])));
  const pixelsAt = 14 + header.length + masksAfter.length + colours.length;
  const file = Buffer.alloc(14);
  file.write('BM', 'latin1');
  file.writeUInt32LE(pixelsAt + pixels.length, 2);
  file.writeUInt32LE(pixelsAt, 10);
  return Buffer.concat([file, header, masksAfter, colours, pixels]);
}

function headerOf(parts: BmpParts): Buffer {
  const { width, height, bits, headerBytes = 40, topDown = false, compression = 0, palette = [], masks = [] } = parts;
  const header = Buffer.alloc(Math.max(headerBytes, 124));
  header.writeUInt32LE(headerBytes, 0);
  if (headerBytes === 12) {
    [width, height, 1, bits].forEach((value, index) => header.writeUInt16LE(value, 4 + 2 * index));
    return header.subarray(0, 12);
  }
  header.writeInt32LE(width, 4);
  header.writeInt32LE(topDown ? -height : height, 8);
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(bits, 14);
  header.writeUInt32LE(compression, 16);
  header.writeUInt32LE(palette.length, 32);
  uint32s(masks).copy(header, 40);
  return header.subarray(0, headerBytes);
}

function uint32s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
}

function packRows(rows: readonly (readonly number[])[], bits: number, topDown: boolean): Buffer {
  const packed = rows.map((row) => {
    const bytes = Buffer.alloc(Math.ceil((row.length * bits) / 32) * 4);
    row.forEach((value, x) => {
      if (bits >= 8) bytes.writeUIntLE(value, (x * bits) / 8, bits / 8);
      else bytes[(x * bits) >> 3] = (bytes[(x * bits) >> 3] ?? 0) | (value << (8 - bits - ((x * bits) & 7)));
    });
    return bytes;
  });
  return Buffer.concat(topDown ? packed : packed.toReversed());
}

/** Runs, pixels as they are and jumps over zeros, as `choose` has it. Rows come from the top and are written from below. */
export function packRunLengths(
  rows: readonly (readonly number[])[],
  nibbles: boolean,
  choose: () => number,
): Uint8Array {
  const out: number[] = [];
  for (const row of rows.toReversed()) {
    for (let x = 0; x < row.length;) x += packSome(row.slice(x), { out, nibbles, choice: choose() });
    out.push(0, 0);
  }
  out.push(0, 1);
  return Uint8Array.from(out);
}

function packSome(
  rest: readonly number[],
  { out, nibbles, choice }: { out: number[]; nibbles: boolean; choice: number },
): number {
  const zeros = rest.findIndex((value) => value !== 0);
  if (choice % 3 === 0 && zeros > 0) {
    out.push(0, 2, Math.min(zeros, 255), 0);
    return Math.min(zeros, 255);
  }
  if (choice % 3 === 1 && rest.length >= 3) {
    const pixels = rest.slice(0, Math.min(255, 3 + (choice % 7)));
    const bytes = nibbles ? pairs(pixels) : pixels;
    out.push(0, pixels.length, ...bytes, ...(bytes.length % 2 === 0 ? [] : [0]));
    return pixels.length;
  }
  const [first = 0, second = first] = rest;
  const run = nibbles
    ? rest.findIndex((value, index) => value !== (index % 2 === 0 ? first : second))
    : rest.findIndex((value) => value !== first);
  const count = Math.min(run === -1 ? rest.length : run, 255);
  out.push(count, nibbles ? (first << 4) | second : first);
  return count;
}

function pairs(pixels: readonly number[]): number[] {
  return Array.from(
    { length: Math.ceil(pixels.length / 2) },
    (_, index) => ((pixels[index * 2] ?? 0) << 4) | (pixels[index * 2 + 1] ?? 0),
  );
}
