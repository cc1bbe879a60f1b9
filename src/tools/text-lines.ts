/**
 * Lines of a text file of any size and of the encodings that occur in source trees, in constant memory: a fixed
 * read buffer, and of each line no more than the reader asked for.
 */
import { isUtf8 } from 'node:buffer';

import { firstBytes, fromCharacter } from '../core/utf8.js';
import type { OpenFile } from '../core/files.js';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';

export type Sniffed =
  | { readonly kind: 'text'; readonly encoding: Encoding; readonly bomBytes: number }
  | { readonly kind: 'binary' };

export type Line = {
  /** From 1. */
  readonly number: number;
  /** The line without its end, cut to the limit. */
  readonly text: string;
  /** Where the rest of a cut line begins, in bytes of its UTF-8 form from 1. */
  readonly restAt?: number;
};

export type LineOptions = {
  readonly encoding: Encoding;
  readonly bomBytes: number;
  /** Lines before this one are counted, not kept. */
  readonly firstLine: number;
  /** Bytes of the first line to leave out. */
  readonly skipBytes: number;
  readonly maxLineBytes: number;
  readonly signal: AbortSignal;
};

const CHUNK_BYTES = 256 * 1024;
/** Looked at to tell text from anything else. */
const TYPE_BYTES = 8 * 1024;
/** Looked at to tell UTF-8 from Latin-1. */
const SNIFF_BYTES = 64 * 1024;
const LF = 10;
const CR = 13;

/** Looks at the beginning of a file: which encoding it is in, or that it is not text at all. */
export async function sniff(file: OpenFile): Promise<Sniffed> {
  const buffer = Buffer.alloc(SNIFF_BYTES);
  const head = buffer.subarray(0, await file.read(buffer, 0));
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'text', encoding: 'utf-16le', bomBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'text', encoding: 'utf-16be', bomBytes: 2 };
  if (looksBinary(head.subarray(0, TYPE_BYTES))) return { kind: 'binary' };
  if (!isUtf8Beginning(head)) return { kind: 'text', encoding: 'latin1', bomBytes: 0 };
  const hasBom = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  return { kind: 'text', encoding: 'utf-8', bomBytes: hasBom ? 3 : 0 };
}

/** Whether these bytes may begin a UTF-8 text; only if more follow may the last character be cut off. */
function isUtf8Beginning(head: Buffer): boolean {
  const cuts = head.length === SNIFF_BYTES ? [0, 1, 2, 3] : [0];
  return cuts.some((cut) => isUtf8(head.subarray(0, head.length - cut)));
}

/** A NUL never occurs in text; other control characters do, but rarely. */
function looksBinary(head: Buffer): boolean {
  if (head.includes(0)) return true;
  const strange = head.filter((byte) => byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27).length;
  return strange > head.length / 10;
}

/** The lines from `firstLine` on. Returns how many lines the file has when it was read to its end. */
export async function* readLines(file: OpenFile, options: LineOptions): AsyncGenerator<Line, number> {
  const { firstLine } = options;
  let number = 1;
  let line = startLine(number, options);
  /** Bytes of the line that has not ended yet. */
  let open = 0;
  for await (const chunk of utf8Chunks(file, options)) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      if (number >= firstLine) yield line.add(chunk, from, end).finish();
      from = end + 1;
      open = 0;
      number += 1;
      if (number >= firstLine) line = startLine(number, options);
    }
    if (number >= firstLine) line.add(chunk, from, chunk.length);
    open += chunk.length - from;
  }
  if (open === 0) return number - 1;
  if (number >= firstLine) yield line.finish();
  return number;
}

type LineInProgress = { add(chunk: Buffer, from: number, to: number): LineInProgress; finish(): Line };

function startLine(number: number, { firstLine, skipBytes, maxLineBytes }: LineOptions): LineInProgress {
  const skip = number === firstLine ? skipBytes : 0;
  const parts: Buffer[] = [];
  let seen = 0;
  let kept = 0;
  const line: LineInProgress = {
    add(chunk, from, to) {
      const start = Math.max(from, from + skip - seen);
      // A few bytes more than fit tell a line that is cut from one that ends there, half characters included.
      const part = chunk.subarray(start, Math.max(start, Math.min(to, start + maxLineBytes + 4 - kept)));
      if (part.length > 0) parts.push(Buffer.from(part));
      kept += part.length;
      seen += to - from;
      return line;
    },
    finish() {
      const bytes = skip > 0 ? fromCharacter(Buffer.concat(parts)) : Buffer.concat(parts);
      const whole = kept === Math.max(0, seen - skip) ? dropCarriageReturn(bytes) : bytes;
      if (whole.length <= maxLineBytes) return { number, text: whole.toString() };
      const cut = firstBytes(bytes, maxLineBytes);
      return { number, text: cut.toString(), restAt: skip + kept - bytes.length + cut.length + 1 };
    },
  };
  return line;
}

function dropCarriageReturn(bytes: Buffer): Buffer {
  return bytes[bytes.length - 1] === CR ? bytes.subarray(0, -1) : bytes;
}

/** The file in pieces that are only valid until the next one; every encoding comes out as UTF-8. */
async function* utf8Chunks(file: OpenFile, { encoding, bomBytes, signal }: LineOptions): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding);
  let position = bomBytes;
  for (let read = await file.read(buffer, position); read > 0; read = await file.read(buffer, position)) {
    signal.throwIfAborted();
    position += read;
    const chunk = buffer.subarray(0, read);
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  const rest = decoder?.decode();
  if (rest) yield Buffer.from(rest);
}
