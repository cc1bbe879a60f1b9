/** JPEG: segments that begin with a marker. One of them has the size, another one may say that the picture is turned. */
import type { ImageFacts } from './image.js';
import { big16, big32, byteAt, hasText, little16, little32 } from './numbers.js';

const START = '\xff\xd8\xff';
const SCAN = 0xda;
const END = 0xd9;
const EXIF = 0xe1;
const EXIF_NAME = 'Exif\0\0';

export function readJpeg(bytes: Uint8Array): ImageFacts | undefined {
  let isTurned = false;
  for (const { marker, content } of segments(bytes)) {
    if (marker === EXIF && hasText(content, 0, EXIF_NAME)) isTurned = liesOnItsSide(content.subarray(EXIF_NAME.length));
    if (!isFrame(marker)) continue;
    const [height, width] = [big16(content, 1), big16(content, 3)];
    if (width === 0 || height === 0) return undefined;
    const size = isTurned ? { width: height, height: width } : { width, height };
    return { format: 'jpeg', ...size, animated: false };
  }
  return undefined;
}

/** Between the beginning of the scan and the end of the picture, the bytes of a marker cannot occur otherwise. */
export function isWholeJpeg(bytes: Uint8Array): boolean {
  for (const { marker, end } of segments(bytes)) {
    if (marker !== SCAN) continue;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(Buffer.from([0xff, END]), end);
  }
  return false;
}

type Segment = { readonly marker: number; readonly content: Uint8Array; readonly end: number };

/** Up to the first scan. What stands between segments and belongs to none is passed over, as every decoder does. */
function* segments(bytes: Uint8Array): Generator<Segment> {
  if (!hasText(bytes, 0, START)) return;
  for (let at = bytes.indexOf(0xff, 2); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = byteAt(bytes, at + 1);
    if (marker === END) return;
    if (standsAlone(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const end = at + 2 + big16(bytes, at + 2);
    if (end < at + 4 || end > bytes.length) return;
    yield { marker, content: bytes.subarray(at + 4, end), end };
    if (marker === SCAN) return;
    at = end;
  }
}

/** Padding, restarts and other markers without content. */
function standsAlone(marker: number): boolean {
  return marker === 0xff || marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** Three numbers in the middle of the frames mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

const ORIENTATION = 0x0112;
const ENTRY_BYTES = 12;

/** Orientations from 5 on exchange width and height. */
function liesOnItsSide(tiff: Uint8Array): boolean {
  const isLittle = hasText(tiff, 0, 'II');
  if (!isLittle && !hasText(tiff, 0, 'MM')) return false;
  const short = isLittle ? little16 : big16;
  const folder = (isLittle ? little32 : big32)(tiff, 4);
  const last = Math.min(folder + 2 + short(tiff, folder) * ENTRY_BYTES, tiff.length);
  for (let entry = folder + 2; entry < last; entry += ENTRY_BYTES) {
    const value = short(tiff, entry + 8);
    if (short(tiff, entry) === ORIENTATION) return value >= 5 && value <= 8;
  }
  return false;
}
