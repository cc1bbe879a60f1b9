/** Which image some bytes are, told by the bytes alone. Any bytes may be asked about. */
import { readBmp } from './bmp.js';
import { isWholeGif, readGif } from './gif.js';
import type { ImageFacts } from './image.js';
import { isWholeJpeg, readJpeg } from './jpeg.js';
import { isWholePng, readPng } from './png.js';
import { isWholeWebp, readWebp } from './webp.js';

/** Undefined for anything that is no image of a format we know, or too short to tell. */
export function identifyImage(bytes: Uint8Array): ImageFacts | undefined {
  return readPng(bytes) ?? readJpeg(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readBmp(bytes);
}

export type SentFormat = Exclude<ImageFacts['format'], 'bmp'>;

const CHECKS: Readonly<Record<SentFormat, (bytes: Uint8Array) => boolean>> = {
  png: isWholePng,
  jpeg: isWholeJpeg,
  gif: isWholeGif,
  webp: isWholeWebp,
};

/** Whether such an image is all there, as far as that shows without unpacking its pixels. */
export function isWhole(format: SentFormat, bytes: Uint8Array): boolean {
  return CHECKS[format](bytes);
}
