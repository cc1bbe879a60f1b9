/** Takes a program for the runner apart, as native/runner.c reads it and not as our builder writes it. */

export type DecodedArgument =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'address'; readonly offset: number }
  | { readonly kind: 'result'; readonly register: number };

type DecodedStep = {
  readonly number: number;
  /** Always six. */
  readonly arguments: readonly DecodedArgument[];
  readonly mayFail: boolean;
  readonly store?: number;
  readonly into: number;
};

type DecodedProgram = {
  readonly steps: readonly DecodedStep[];
  /** Offsets of words in the data that are offsets themselves. */
  readonly relocations: readonly number[];
  readonly data: Buffer;
};

const HEAD_BYTES = 32;
const STEP_BYTES = 64;
const MAY_FAIL = 1 << 12;
const STORE = 1 << 13;

export function decodeProgram(bytes: Buffer): DecodedProgram {
  const word = (at: number): number => bytes.readUInt32LE(at);
  const [magic, count, relocationCount, length] = [word(0), word(4), word(8), word(12)];
  if (bytes.toString('latin1', 0, 4) !== 'TRN1') throw new Error(`${magic} is no mark of a program`);
  if (length !== bytes.length) throw new Error(`it says ${length} bytes and has ${bytes.length}`);
  if (!bytes.subarray(16, HEAD_BYTES).every((byte) => byte === 0)) throw new Error('it reports something already');
  const relocationsAt = HEAD_BYTES + count * STEP_BYTES;
  const dataAt = relocationsAt + (relocationCount + (relocationCount & 1)) * 4;
  return {
    steps: Array.from({ length: count }, (_, index) => decodeStep(bytes, HEAD_BYTES + index * STEP_BYTES)),
    relocations: Array.from({ length: relocationCount }, (_, index) => word(relocationsAt + index * 4)),
    data: bytes.subarray(dataAt),
  };
}

function decodeStep(bytes: Buffer, at: number): DecodedStep {
  const [number, flags, store, into] = [0, 4, 8, 12].map((offset) => bytes.readUInt32LE(at + offset));
  const isSet = (bit: number): boolean => ((flags ?? 0) & bit) !== 0;
  return {
    number: number ?? 0,
    arguments: [0, 1, 2, 3, 4, 5].map((index): DecodedArgument => {
      const value = bytes.readBigUInt64LE(at + 16 + index * 8);
      if (isSet(1 << index)) return { kind: 'address', offset: Number(value) };
      return isSet(1 << (index + 6)) ? { kind: 'result', register: Number(value) } : { kind: 'number', value };
    }),
    mayFail: isSet(MAY_FAIL),
    ...(isSet(STORE) && { store: store ?? 0 }),
    into: into ?? 0,
  };
}

/** Text in the data, up to its end. */
export function textAt(data: Buffer, offset: number): string {
  return data.toString('utf8', offset, data.indexOf(0, offset));
}

/** Texts that a list of pointers leads to. */
export function textsAt(data: Buffer, offset: number): readonly string[] {
  const to = Number(data.readBigUInt64LE(offset));
  return to === 0 ? [] : [textAt(data, to), ...textsAt(data, offset + 8)];
}
