/**
 * Programs for the kernel's packet filter machine, of which seccomp knows a part: load a word, mask it, compare, jump
 * forward, return. A jump tells in one byte how many instructions it skips.
 */
export type Instruction = {
  readonly code: number;
  /** How many to skip when the comparison holds, and when it does not. */
  readonly hit: number;
  readonly miss: number;
  readonly value: number;
};

const CODES = { load: 0x20, and: 0x54, equal: 0x15, greater: 0x25, anyBit: 0x45, return: 0x06 } as const;

const INSTRUCTION_BYTES = 8;
const MOST_INSTRUCTIONS = 4096;
const FARTHEST_JUMP = 255;

/** As `struct sock_filter`, one after the other. Both architectures are little endian. */
export function encodeProgram(program: readonly Instruction[]): Uint8Array {
  if (program.length > MOST_INSTRUCTIONS) throw new RangeError(`${program.length} instructions are too many`);
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, hit, miss, value }] of program.entries()) {
    // A number that does not fit would be cut off silently, and the filter would be another one.
    if (Math.max(hit, miss) > FARTHEST_JUMP) throw new RangeError(`a jump over ${Math.max(hit, miss)} is too far`);
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, hit);
    view.setUint8(at + 3, miss);
    view.setUint32(at + 4, value, true);
  }
  return bytes;
}

/** Loads the word at this offset of what the program is asked about. */
export function load(offset: number): Instruction {
  return plain(CODES.load, offset);
}

export function and(mask: number): Instruction {
  return plain(CODES.and, mask);
}

export function answer(value: number): Instruction {
  return plain(CODES.return, value);
}

type Comparison = { readonly value: number; readonly hit: number; readonly miss: number };

export function ifEqual(comparison: Comparison): Instruction {
  return { code: CODES.equal, ...comparison };
}

export function ifGreater(comparison: Comparison): Instruction {
  return { code: CODES.greater, ...comparison };
}

export function ifAnyBit(comparison: Comparison): Instruction {
  return { code: CODES.anyBit, ...comparison };
}

function plain(code: number, value: number): Instruction {
  return { code, hit: 0, miss: 0, value };
}
