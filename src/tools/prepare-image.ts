/** From the bytes of a file to an image that a model can be sent: as it is where possible, smaller where needed. */
import { ToolFailure } from '../core/errors.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import { stillGif } from '../images/gif.js';
import { identifyImage, isWhole } from '../images/identify.js';
import type { ImageFacts, ImageFormat, Size } from '../images/image.js';
import { lookalike } from '../images/lookalikes.js';
import { scaleInProcess } from './run-scaler.js';

export type ImageFile = { readonly path: AbsolutePath; readonly bytes: Buffer };

export type PreparedImage = Size & {
  readonly format: ImageFormat;
  readonly bytes: Uint8Array;
  /** The file as it was. */
  readonly source: ImageFacts;
};

const MAX_BYTES = 3_500_000;
const MAX_PIXELS = 100_000_000;
const MAX_SIDE = 65_535;

export async function prepareImage(file: ImageFile, maxSide: number, scope: RunScope): Promise<PreparedImage> {
  const { bytes } = file;
  const source = identifyImage(bytes);
  if (source === undefined) throw unreadable(bytes);
  const { width, height, format } = source;
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE) {
    throw tooLarge(file, source, maxSide, 'so large an image is not decoded here');
  }
  if (format === 'bmp') return fromBmp(file, source, maxSide, scope);
  const still = format === 'gif' ? stillGif(bytes) : bytes;
  const moves = source.animated && format !== 'gif';
  if (moves || Math.max(width, height) > maxSide || still.length > MAX_BYTES) {
    return scaledDown(file, source, maxSide, scope);
  }
  if (!isWhole(format, bytes)) throw damaged();
  return { source, format, width, height, bytes: still };
}

async function fromBmp(
  { bytes }: ImageFile,
  source: ImageFacts,
  maxSide: number,
  { signal }: RunScope,
): Promise<PreparedImage> {
  const { bmpToPng } = await import('../images/bmp-to-png.js');
  const made = await bmpToPng(bytes, { maxSide, maxBytes: MAX_BYTES, signal });
  if (made === undefined) throw damaged();
  return { source, format: 'png', width: made.width, height: made.height, bytes: made.png };
}

async function scaledDown(
  file: ImageFile,
  source: ImageFacts,
  maxSide: number,
  scope: RunScope,
): Promise<PreparedImage> {
  const scaled = await scaleInProcess({ path: file.path, maxSide, maxBytes: MAX_BYTES }, scope);
  if (scaled.kind === 'undecodable') throw damaged();
  if (scaled.kind === 'unavailable') throw tooLarge(file, source, maxSide, scaled.reason);
  const { format, width, height } = scaled.facts;
  return { source, format, width, height, bytes: scaled.bytes };
}

const INVALID = 'unable to process image: invalid or unsupported image data';

function unreadable(bytes: Uint8Array): ToolFailure {
  const found = lookalike(bytes);
  return new ToolFailure(found === undefined ? INVALID : `${INVALID}. The file is ${found.what}: ${found.advice}.`);
}

function damaged(): ToolFailure {
  return new ToolFailure(
    `${INVALID}. The file begins like an image but is damaged, cut off or of an unusual kind: get or make it again.`,
  );
}

function tooLarge(
  { path, bytes }: ImageFile,
  { width, height, format, animated }: ImageFacts,
  maxSide: number,
  reason = 'nothing here can make it smaller',
): ToolFailure {
  const name = `${animated ? 'an animated' : 'a'} ${format.toUpperCase()} of ${width}x${height} pixels`;
  const limits = `at most ${maxSide} pixels a side and ${inMegabytes(MAX_BYTES)} of a still image`;
  return new ToolFailure(
    `unable to process image: it is ${name} and ${inMegabytes(bytes.length)}; ${limits} can be sent, and ${reason}. ` +
      smallerCopy(path, maxSide),
  );
}

/** Words that tell a model how to help itself. */
export function smallerCopy(path: AbsolutePath, maxSide: number): string {
  const quoted = `'${path.replaceAll("'", `'\\''`)}'`;
  return (
    'Make a smaller copy with a command and view that, for example: ' +
    `convert ${quoted}'[0]' -resize '${maxSide}x${maxSide}>' /tmp/smaller.png`
  );
}

export function inMegabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 100_000) / 10).toFixed(1)} MB`;
}
