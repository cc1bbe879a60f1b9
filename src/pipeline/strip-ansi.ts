/**
 * Takes escape sequences (colours, cursor movement, titles, links) out of a stream and leaves all else as it is.
 *
 *   CSI                  ESC [  (0x20-0x3f)*  0x40-0x7e    control characters inside stay: terminals obey them too
 *   OSC                  ESC ]  …  BEL or ESC \
 *   DCS, SOS, PM, APC    ESC P, X, ^ or _  …  ESC \
 *   others               ESC  (0x20-0x2f)*  0x30-0x7e
 *
 * CAN and SUB cancel a sequence and go with it. ESC cancels it too and begins the next one. An ESC that begins none
 * of these is text, and so is one whose sequence grows too long: nothing unterminated swallows the rest of an output.
 */
import type { ByteFilter } from './whole-characters.js';

const LONGEST_STRING_BYTES = 4096;
const LONGEST_ESCAPE_BYTES = 256;

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const CSI_INTRODUCER = 0x5b;

export function createAnsiStripper(): ByteFilter {
  let unfinished: Buffer = Buffer.alloc(0);
  return {
    write(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      if (unfinished.length === 0 && !bytes.includes(ESC)) return chunk;
      // Read again from its ESC: it is short, and nothing but its bytes has to be remembered.
      const { text, rest } = strip(Buffer.concat([unfinished, bytes]));
      unfinished = rest;
      return text;
    },
    end() {
      const rest = unfinished;
      unfinished = Buffer.alloc(0);
      // What never ended was no string.
      if (isString(rest[1])) return rest;
      return rest.subarray(0, moveControls(rest, { start: 0, end: rest.length, to: 0 }));
    },
  };
}

/** `rest` is a sequence that has not ended yet. */
type Stripped = { readonly text: Buffer; readonly rest: Buffer };

/** Closes the gaps in place, so the bytes must be our own. */
function strip(bytes: Buffer): Stripped {
  let kept = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    const end = byte === ESC ? endOfSequence(bytes, at) : at;
    if (end === undefined) break;
    if (end === at) {
      bytes[kept] = byte;
      kept += 1;
      at += 1;
    } else {
      kept += moveControls(bytes, { start: at, end, to: kept });
      at = end;
    }
  }
  return { text: bytes.subarray(0, kept), rest: bytes.subarray(at) };
}

/**
 * Where the sequence ends that begins with the ESC at `start`: at `start` itself when none begins there, undefined
 * while that is open. Nothing but these bytes decides, so it does not matter how chunks were cut.
 */
function endOfSequence(bytes: Buffer, start: number): number | undefined {
  const { introducerBytes, longest, roleOf } = formOf(bytes[start + 1]);
  for (let at = start + introducerBytes; at < bytes.length; at += 1) {
    if (at - start >= longest) return start;
    const byte = bytes[at] ?? 0;
    if (byte === ESC) return at;
    const role = isCancel(byte) ? 'last' : roleOf(byte);
    if (role === 'last') return at + 1;
    if (role === 'foreign') return start;
  }
  return undefined;
}

/** One kind of sequence: what each byte behind its introducer is to it. */
type Form = {
  readonly introducerBytes: number;
  readonly longest: number;
  readonly roleOf: (byte: number) => 'inside' | 'last' | 'foreign';
};

function formOf(introducer: number | undefined): Form {
  switch (introducer) {
    case CSI_INTRODUCER:
      return CSI;
    case 0x5d: // ]
      return OSC;
    case 0x50: // P
    case 0x58: // X
    case 0x5e: // ^
    case 0x5f: // _
      return OTHER_STRING;
    default:
      return OTHER;
  }
}

function isString(introducer: number | undefined): boolean {
  return formOf(introducer).longest === LONGEST_STRING_BYTES;
}

const CSI: Form = {
  introducerBytes: 2,
  longest: LONGEST_ESCAPE_BYTES,
  roleOf: (byte) => (byte < 0x40 ? 'inside' : lastIfPrintable(byte)),
};

/** Its other end, ESC \, is read as a sequence of its own. */
const OSC: Form = {
  introducerBytes: 2,
  longest: LONGEST_STRING_BYTES,
  roleOf: (byte) => (byte === BEL ? 'last' : 'inside'),
};

const OTHER_STRING: Form = { introducerBytes: 2, longest: LONGEST_STRING_BYTES, roleOf: () => 'inside' };

const OTHER: Form = {
  introducerBytes: 1,
  longest: LONGEST_ESCAPE_BYTES,
  roleOf: (byte) => (byte >= 0x20 && byte < 0x30 ? 'inside' : lastIfPrintable(byte)),
};

function lastIfPrintable(byte: number): 'last' | 'foreign' {
  return byte >= 0x30 && byte < 0x7f ? 'last' : 'foreign';
}

function isCancel(byte: number): boolean {
  return byte === CAN || byte === SUB;
}

type Move = { readonly start: number; readonly end: number; readonly to: number };

/** Moves the control characters of a CSI to where they stay and gives their number. Other sequences keep none. */
function moveControls(bytes: Buffer, { start, end, to }: Move): number {
  if (bytes[start + 1] !== CSI_INTRODUCER) return 0;
  let moved = 0;
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x20 || isCancel(byte)) continue;
    bytes[to + moved] = byte;
    moved += 1;
  }
  return moved;
}
