/** What a file is that is no image we can show: a model that knows can do something about it. */
import { isUtf8 } from 'node:buffer';

import { hasText } from './numbers.js';

/** What it is, and what to do instead. */
export type Lookalike = { readonly what: string; readonly advice: string };

const CONVERT = 'convert it to PNG with a command first and view that';
const READ = 'read it as text, or render it as PNG with a command and view that';
const TEXT_BYTES = 4096;

export function lookalike(bytes: Uint8Array): Lookalike | undefined {
  if (bytes.length === 0) return { what: 'empty', advice: 'look whether it is the right file' };
  const found = BEGINNINGS.find(({ at, texts }) => texts.some((text) => hasText(bytes, at, text)));
  if (found !== undefined) return found;
  return isText(bytes) ? textKind(bytes) : undefined;
}

type Beginning = Lookalike & { readonly at: number; readonly texts: readonly string[] };

const BEGINNINGS: readonly Beginning[] = [
  {
    at: 0,
    texts: ['%PDF-'],
    what: 'a PDF document',
    advice: 'render a page as PNG with a command first and view that',
  },
  { at: 4, texts: ['ftypavif', 'ftypavis'], what: 'an AVIF image', advice: CONVERT },
  {
    at: 4,
    texts: ['ftypheic', 'ftypheix', 'ftyphevc', 'ftypmif1', 'ftypmsf1'],
    what: 'a HEIC image',
    advice: CONVERT,
  },
  { at: 4, texts: ['ftyp'], what: 'a video', advice: 'extract a frame as PNG with a command first and view that' },
  { at: 0, texts: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'], what: 'a TIFF image', advice: CONVERT },
  { at: 0, texts: ['\0\0\x01\0', '\0\0\x02\0'], what: 'an icon (ICO)', advice: CONVERT },
  { at: 0, texts: ['\xff\x0a', '\0\0\0\x0cJXL '], what: 'a JPEG XL image', advice: CONVERT },
  { at: 0, texts: ['\0\0\0\x0cjP  '], what: 'a JPEG 2000 image', advice: CONVERT },
  { at: 0, texts: ['8BPS'], what: 'a Photoshop document', advice: CONVERT },
  { at: 0, texts: ['PK\x03\x04'], what: 'a ZIP archive', advice: 'unpack it with a command first' },
  { at: 0, texts: ['\x1f\x8b'], what: 'compressed with gzip', advice: 'unpack it with a command first' },
  {
    at: 0,
    texts: ['version https://git-lfs'],
    what: 'a pointer of Git LFS, not the image itself',
    advice: 'fetch the image with git lfs pull',
  },
  ...['\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF', 'BM'].map((text) => ({
    at: 0,
    texts: [text],
    what: 'damaged, cut off or of an unusual kind',
    advice: 'get or make it again',
  })),
];

function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, TEXT_BYTES);
  const isPrintable = head.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 27);
  // The last character may be cut off.
  const isCut = bytes.length > TEXT_BYTES;
  return isPrintable && [0, 1, 2, 3].some((cut) => (cut === 0 || isCut) && isUtf8(head.subarray(0, head.length - cut)));
}

function textKind(bytes: Uint8Array): Lookalike {
  const text = Buffer.from(bytes.subarray(0, TEXT_BYTES)).toString('utf8');
  return /<svg[\s>]/i.test(text)
    ? { what: 'an SVG drawing', advice: READ }
    : { what: 'a text file', advice: 'read it as text' };
}
