/** PNG: a signature, then chunks of length, type, content and checksum. */
import { crc32 } from './crc32.js';
import type { ImageFacts } from './image.js';
import { big32, byteAt, hasText } from './numbers.js';

export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';

const FIRST_CHUNK = PNG_SIGNATURE.length;
const HEADER_BYTES = 13;
/** Around the content of a chunk. */
const FRAME_BYTES = 12;
const MOST_PIXELS = 2 ** 31 - 1;

/** How many bits a sample may have, for each kind of colour. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

export function readPng(bytes: Uint8Array): ImageFacts | undefined {
  if (!hasText(bytes, 0, PNG_SIGNATURE) || !hasText(bytes, FIRST_CHUNK + 4, 'IHDR')) return undefined;
  if (big32(bytes, FIRST_CHUNK) !== HEADER_BYTES) return undefined;
  const header = bytes.subarray(FIRST_CHUNK + 8, FIRST_CHUNK + 8 + HEADER_BYTES);
  const [width, height] = [big32(header, 0), big32(header, 4)];
  const isPossible = [width, height].every((side) => side > 0 && side <= MOST_PIXELS);
  if (!isPossible || !DEPTHS[byteAt(header, 9)]?.includes(byteAt(header, 8))) return undefined;
  // Whoever does not know its animation sees its one picture.
  return { format: 'png', width, height, animated: false };
}

export function isWholePng(bytes: Uint8Array): boolean {
  let hasPixels = false;
  for (let at = FIRST_CHUNK; at < bytes.length;) {
    const end = at + FRAME_BYTES + big32(bytes, at);
    if (end > bytes.length || !isIntact(bytes.subarray(at, end))) return false;
    hasPixels ||= hasText(bytes, at + 4, 'IDAT');
    if (hasText(bytes, at + 4, 'IEND')) return hasPixels;
    at = end;
  }
  return false;
}

/** What is not needed for the picture, which its name tells, may be damaged. */
function isIntact(chunk: Uint8Array): boolean {
  const isNeeded = (byteAt(chunk, 4) & 0x20) === 0;
  return !isNeeded || crc32(chunk.subarray(4, -4)) === big32(chunk, chunk.length - 4);
}
