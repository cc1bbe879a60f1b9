/** BMP: a header that has grown over the years, perhaps a palette, and rows of pixels, usually the lowest first. */
import type { ImageFacts, Size } from './image.js';
import { hasText, little16, little32 } from './numbers.js';

/** The compressions that are read here. */
type BmpPacking = 'none' | 'rle8' | 'rle4' | 'masks';

export type BmpHeader = Size & {
  readonly topDown: boolean;
  readonly bits: number;
  /** Undefined for one that is not read here. */
  readonly packing: BmpPacking | undefined;
  /** It ends where the pixels begin, or earlier. */
  readonly palette: { readonly at: number; readonly entryBytes: number };
  /** Where the masks are: red, green, blue, and opacity if the header has room for it. */
  readonly masks: { readonly at: number; readonly count: number };
  readonly pixelsAt: number;
};

const FILE_HEADER = 14;
const OLDEST_HEADER = 12;
/** Headers of this size have the masks in them; in the usual one before, they come after it. */
const WITH_MASKS = 52;
const WITH_OPACITY = 56;
const USUAL_HEADER = 40;
const LARGEST_HEADER = 124;
/** Up to 8 they are numbers of colours. */
const KNOWN_BITS = new Set([1, 2, 4, 8, 16, 24, 32]);

export function readBmp(bytes: Uint8Array): ImageFacts | undefined {
  const header = readBmpHeader(bytes);
  return header && { format: 'bmp', width: header.width, height: header.height, animated: false };
}

export function readBmpHeader(bytes: Uint8Array): BmpHeader | undefined {
  const headerBytes = little32(bytes, FILE_HEADER);
  if (!hasText(bytes, 0, 'BM') || bytes.length < FILE_HEADER + headerBytes) return undefined;
  if (headerBytes === OLDEST_HEADER) return oldest(bytes);
  if (headerBytes < 16 || headerBytes > LARGEST_HEADER) return undefined;
  // What a short header leaves out is zero.
  const header = bytes.subarray(FILE_HEADER, FILE_HEADER + headerBytes);
  const signedHeight = little32(header, 8) | 0;
  const compression = little32(header, 16);
  const masks = masksAfter(headerBytes, compression);
  const bits = little16(header, 14);
  return checked({
    width: little32(header, 4) | 0,
    height: Math.abs(signedHeight),
    topDown: signedHeight < 0,
    bits,
    packing: packingOf(compression, bits, headerBytes),
    palette: {
      at: Math.max(FILE_HEADER + headerBytes, masks.at + 4 * masks.count),
      entryBytes: 4,
    },
    masks,
    pixelsAt: little32(bytes, 10),
  });
}

function oldest(bytes: Uint8Array): BmpHeader | undefined {
  const bits = little16(bytes, FILE_HEADER + 10);
  return checked({
    width: little16(bytes, FILE_HEADER + 4),
    height: little16(bytes, FILE_HEADER + 6),
    topDown: false,
    bits,
    packing: 'none',
    palette: { at: FILE_HEADER + OLDEST_HEADER, entryBytes: 3 },
    masks: NO_MASKS,
    pixelsAt: little32(bytes, 10),
  });
}

function checked(header: BmpHeader): BmpHeader | undefined {
  const { width, height, bits } = header;
  return KNOWN_BITS.has(bits) && width > 0 && height > 0 ? header : undefined;
}

const NO_MASKS: BmpHeader['masks'] = { at: 0, count: 0 };
const BIT_FIELDS = 3;
const BIT_FIELDS_WITH_OPACITY = 6;

function masksAfter(headerBytes: number, compression: number): BmpHeader['masks'] {
  if (![BIT_FIELDS, BIT_FIELDS_WITH_OPACITY].includes(compression) || headerBytes < USUAL_HEADER) {
    return NO_MASKS;
  }
  const at = FILE_HEADER + USUAL_HEADER;
  if (headerBytes >= WITH_MASKS) return { at, count: headerBytes >= WITH_OPACITY ? 4 : 3 };
  return { at, count: compression === BIT_FIELDS ? 3 : 4 };
}

function packingOf(compression: number, bits: number, headerBytes: number): BmpPacking | undefined {
  if (compression === 0) return 'none';
  if (compression === 1 && bits === 8) return 'rle8';
  if (compression === 2 && bits === 4) return 'rle4';
  const hasMasks = [BIT_FIELDS, BIT_FIELDS_WITH_OPACITY].includes(compression);
  return hasMasks && (bits === 16 || bits === 32) && headerBytes >= USUAL_HEADER ? 'masks' : undefined;
}
