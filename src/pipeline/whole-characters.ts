/**
 * Makes valid UTF-8 of one stream, whatever it is and wherever it is cut: a character that is cut in two waits for
 * its rest, and bytes that are no character become U+FFFD exactly where a decoder of the whole would put it.
 */
import { isUtf8 } from 'node:buffer';

import { isContinuation } from '../core/utf8.js';

/** Bytes in, bytes out. What has to wait at a border comes out with a later write, or at the end. */
export interface ByteFilter {
  /** May give back the chunk itself; never changes it. */
  write(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** The longest beginning of a character that lacks something. */
const LONGEST_BEGINNING = 3;

export function createCharacterJoiner(): ByteFilter {
  let waiting = NOTHING;
  return {
    write(chunk) {
      const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      const end = bytes.length - unfinishedLength(bytes);
      waiting = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end));
      return toUtf8(end === bytes.length ? bytes : bytes.subarray(0, end));
    },
    end() {
      const rest = toUtf8(waiting);
      waiting = NOTHING;
      return rest;
    },
  };
}

/** How many of the last bytes may be the beginning of a character whose rest is still to come. */
function unfinishedLength(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(LONGEST_BEGINNING, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (!isContinuation(byte)) return length < characterLength(byte) ? length : 0;
  }
  return 0;
}

/** What the first byte announces. Whether the rest keeps to it is for the decoder to say. */
function characterLength(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function toUtf8(bytes: Uint8Array): Uint8Array {
  return isUtf8(bytes) ? bytes : Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}
