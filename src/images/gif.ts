/** GIF: a screen, then blocks, of which each picture is one. */
import type { ImageFacts, Size } from './image.js';
import { byteAt, hasText, little16 } from './numbers.js';

const SCREEN_BYTES = 13;
const PICTURE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;

export function readGif(bytes: Uint8Array): ImageFacts | undefined {
  if (!(hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a')) || bytes.length < SCREEN_BYTES) return undefined;
  const pictures = picturesIn(bytes);
  const first = pictures.next().value;
  const screen = { width: little16(bytes, 6), height: little16(bytes, 8) };
  const { width, height } = isEmpty(screen) && first ? first : screen;
  if (isEmpty({ width, height })) return undefined;
  return { format: 'gif', width, height, animated: pictures.next().value !== undefined };
}

/** Its first picture: what else there is can be left out. */
export function isWholeGif(bytes: Uint8Array): boolean {
  const first = picturesIn(bytes).next().value;
  return first !== undefined && first.end <= bytes.length;
}

/** The same picture without the others that would move it. */
export function stillGif(bytes: Uint8Array): Uint8Array {
  const first = picturesIn(bytes).next().value;
  return first === undefined ? bytes : Buffer.concat([bytes.subarray(0, first.end), Buffer.from([TRAILER])]);
}

function isEmpty({ width, height }: Size): boolean {
  return width === 0 || height === 0;
}

type Picture = Size & { /** Beyond the end of the bytes when it is cut off. */ readonly end: number };

function* picturesIn(bytes: Uint8Array): Generator<Picture, undefined> {
  for (let at = SCREEN_BYTES + coloursAfter(byteAt(bytes, 10)); at < bytes.length;) {
    const block = byteAt(bytes, at);
    if (block === EXTENSION) {
      at = endOfPieces(bytes, at + 2);
    } else if (block === PICTURE) {
      const size = { width: little16(bytes, at + 5), height: little16(bytes, at + 7) };
      at = endOfPieces(bytes, at + 11 + coloursAfter(byteAt(bytes, at + 9)));
      yield { ...size, end: at };
    } else return undefined;
  }
  return undefined;
}

/** The bytes of the colour table that these flags announce. */
function coloursAfter(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Pieces of up to 255 bytes with their length before them; an empty one is the last. */
function endOfPieces(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const length = byteAt(bytes, at);
    at += 1 + length;
    if (length === 0) return at;
  }
  return bytes.length + 1;
}
