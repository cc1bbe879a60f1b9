/** WebP: chunks in a RIFF file, of which the first has the size, in one of three ways. */
import type { ImageFacts, Size } from './image.js';
import { byteAt, hasText, little16, little24, little32 } from './numbers.js';

const FIRST_CHUNK = 12;
const CHUNK_HEAD = 8;
const ANIMATED = 0x02;
const SIDE_BITS = 0x3fff;

export function readWebp(bytes: Uint8Array): ImageFacts | undefined {
  if (!hasText(bytes, 0, 'RIFF') || !hasText(bytes, 8, 'WEBP')) return undefined;
  const content = bytes.subarray(FIRST_CHUNK + CHUNK_HEAD);
  const size = sizeIn(bytes, content);
  if (size === undefined || size.width === 0 || size.height === 0) return undefined;
  const animated = hasText(bytes, FIRST_CHUNK, 'VP8X') && (byteAt(content, 0) & ANIMATED) !== 0;
  return { format: 'webp', ...size, animated };
}

function sizeIn(bytes: Uint8Array, content: Uint8Array): Size | undefined {
  const is = (name: string, length: number): boolean => hasText(bytes, FIRST_CHUNK, name) && content.length >= length;
  if (is('VP8 ', 10) && hasText(content, 3, '\x9d\x01\x2a')) {
    return { width: little16(content, 6) & SIDE_BITS, height: little16(content, 8) & SIDE_BITS };
  }
  if (is('VP8L', 5) && byteAt(content, 0) === 0x2f) {
    const bits = little32(content, 1);
    return { width: (bits & SIDE_BITS) + 1, height: ((bits >>> 14) & SIDE_BITS) + 1 };
  }
  if (is('VP8X', 10)) return { width: little24(content, 4) + 1, height: little24(content, 7) + 1 };
  return undefined;
}

/** Whether it is as long as it says, and a picture is in it. */
export function isWholeWebp(bytes: Uint8Array): boolean {
  const end = CHUNK_HEAD + little32(bytes, 4);
  if (end > bytes.length) return false;
  for (let at = FIRST_CHUNK; at < end;) {
    const length = little32(bytes, at + 4);
    const next = at + CHUNK_HEAD + length + (length % 2);
    const isPicture = ['VP8 ', 'VP8L', 'ANMF'].some((name) => hasText(bytes, at, name));
    if (isPicture) return at + CHUNK_HEAD + length <= end;
    at = next;
  }
  return false;
}
