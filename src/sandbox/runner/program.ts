/**
 * A list of system calls, put together and laid out as the runner reads it (native/runner.c). Each step says what it is
 * for, so that one that fails can be told in words. Pure: the same steps give the same bytes.
 */
import type { Architecture, SystemCall } from '../linux/system-calls.js';
import { systemCall } from '../linux/system-calls.js';

/** Somewhere in the program's own data. */
export type Address = { readonly kind: 'address'; readonly offset: number };
/** What an earlier step gave back and the program has kept. */
export type Result = { readonly kind: 'result'; readonly register: number };

export type Argument = number | bigint | Address | Result;

export type StepOptions = {
  /** Goes on when the call fails. */
  readonly mayFail?: boolean;
  /** Writes the result there, as 32 bits. */
  readonly store?: Address;
};

export type Step = StepOptions & {
  readonly what: string;
  readonly call: SystemCall | 'fork';
  readonly arguments: readonly Argument[];
  /** Where its result is kept. */
  readonly into?: Result;
};

export type Program = {
  readonly architecture: Architecture;
  readonly steps: readonly Step[];
  readonly bytes: Buffer;
};

/** A beginning that several programs have in common, laid out once. */
export type Beginning = {
  readonly architecture: Architecture;
  readonly steps: readonly Step[];
  readonly stepBytes: Buffer;
  readonly data: Data;
};

export interface ProgramBuilder {
  readonly architecture: Architecture;
  readonly openat2: boolean;
  /** Adds a call. `what` completes the sentence "sandbox could not start: …". */
  call(what: string, call: SystemCall, args?: readonly Argument[], options?: StepOptions): void;
  /** The same, and keeps its result, such as a descriptor, until it is closed. */
  open(what: string, call: SystemCall, args: readonly Argument[], options?: StepOptions): Result;
  close(result: Result): void;
  /** The child goes on with the steps that follow; the parent waits for it. */
  fork(what: string, options: ForkOptions): void;
  text(text: string): Address;
  bytes(bytes: Uint8Array): Address;
  /** Addresses one after the other, with a null at the end. */
  pointers(addresses: readonly Address[]): Address;
  /** The addresses of texts one after the other, with a null at the end, as programs get their arguments. */
  texts(texts: readonly string[]): Address;
  /** Bytes of which some are the address of something else. */
  structure(bytes: Uint8Array, pointers: readonly { readonly at: number; readonly to: Address }[]): Address;
  build(): Program;
  /** What there is up to now, for other programs to go on from. */
  asBeginning(): Beginning;
}

type ForkOptions = {
  /** What the parent watches meanwhile. */
  readonly watch?: Address;
  /** Whether the parent is the one that tells how the program ended. */
  readonly tells?: boolean;
  /** The first of the descriptors that the parent does not need. */
  readonly closeFrom?: number;
  /** Whether the parent ends whatever the child has left behind. It adopts nobody unless it has asked for that. */
  readonly endsAll?: boolean;
};

export const MAGIC = 0x314e5254;
/** At the beginning: who it is, how many calls and relocations, how long; then four words that the runner writes. */
export const HEAD_BYTES = 32;

const STEP_BYTES = 64;
const FORK_NUMBER = 0xf0000001;
const MAY_FAIL = 1 << 12;
const STORE = 1 << 13;
const MOST_RESULTS = 1024;
const WORD = 8;

export type ProgramOptions = {
  /** What it goes on from. */
  readonly beginning?: Beginning;
  /** Whether the call of that name can be used. Default true. */
  readonly openat2?: boolean;
};

export function createProgram(
  architecture: Architecture,
  { beginning, openat2 = true }: ProgramOptions = {},
): ProgramBuilder {
  const steps: Step[] = [];
  const data = createData(beginning?.data);
  const free: number[] = [];
  // The first one takes what nobody keeps. What a beginning has open it keeps to itself.
  let used = 1;
  const allSteps = (): readonly Step[] => [...(beginning?.steps ?? []), ...steps];
  const stepBytes = (): Buffer => {
    const own = Buffer.alloc(steps.length * STEP_BYTES);
    for (const [index, step] of steps.entries()) writeStep(own, index * STEP_BYTES, step, numberOf(step, architecture));
    return beginning ? Buffer.concat([beginning.stepBytes, own]) : own;
  };

  return {
    architecture,
    openat2,
    call: (what, call, args = [], options = {}) => void steps.push({ what, call, arguments: args, ...options }),
    open(what, call, args, options = {}) {
      const register = free.pop() ?? used++;
      if (register >= MOST_RESULTS) throw new RangeError(`too much is open at once when ${what}`);
      const into: Result = { kind: 'result', register };
      steps.push({ what, call, arguments: args, ...options, into });
      return into;
    },
    close(result) {
      steps.push({ what: 'closing a descriptor', call: 'close', arguments: [result], mayFail: true });
      free.push(result.register);
    },
    fork(what, { watch, tells = false, closeFrom = 0, endsAll = false }) {
      const args = [watch?.offset ?? 0, tells ? 1 : 0, closeFrom, endsAll ? 1 : 0];
      steps.push({ what, call: 'fork', arguments: args });
    },
    text: (text) => data.text(text),
    bytes: (bytes) => data.put(bytes, []),
    pointers: (addresses) =>
      data.put(
        new Uint8Array((addresses.length + 1) * WORD),
        addresses.map((to, index) => ({ at: index * WORD, to })),
      ),
    texts: (texts) => data.texts(texts),
    structure: (bytes, pointers) => data.put(bytes, pointers),
    build: () => ({ architecture, steps: allSteps(), bytes: layOut(stepBytes(), data.finish()) }),
    asBeginning: () => ({ architecture, steps: allSteps(), stepBytes: stepBytes(), data: data.finish() }),
  };
}

type Data = { readonly bytes: Buffer; readonly relocations: readonly number[] };

function createData(beginning?: Data) {
  // Nothing lies at the beginning, so that no address is zero.
  const chunks: Uint8Array[] = [beginning?.bytes ?? new Uint8Array(WORD)];
  const relocations = [...(beginning?.relocations ?? [])];
  const texts = new Map<string, Address>();
  let length = chunks[0]?.length ?? 0;

  function append(bytes: Uint8Array): Address {
    const padded = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
    padded.set(bytes);
    chunks.push(padded);
    length += padded.length;
    return { kind: 'address', offset: length - padded.length };
  }

  return {
    put(bytes: Uint8Array, pointers: readonly { readonly at: number; readonly to: Address }[]): Address {
      const filled = Buffer.from(bytes);
      for (const { at, to } of pointers) filled.writeBigUInt64LE(BigInt(to.offset), at);
      const address = append(filled);
      relocations.push(...pointers.map(({ at }) => address.offset + at));
      return address;
    },
    text(text: string): Address {
      const known = texts.get(text) ?? append(Buffer.from(terminated(text)));
      texts.set(text, known);
      return known;
    },
    /** In one piece: an environment has many. */
    texts(list: readonly string[]): Address {
      const bytes = Buffer.from(list.map(terminated).join(''));
      const { offset } = append(bytes);
      const pointers = Buffer.alloc((list.length + 1) * WORD);
      let at = 0;
      for (const index of list.keys()) {
        pointers.writeBigUInt64LE(BigInt(offset + at), index * WORD);
        at = bytes.indexOf(0, at) + 1;
      }
      const address = append(pointers);
      for (const index of list.keys()) relocations.push(address.offset + index * WORD);
      return address;
    },
    finish: (): Data => ({ bytes: Buffer.concat(chunks), relocations }),
  };
}

function terminated(text: string): string {
  if (text.includes('\0')) throw new RangeError(`there is a NUL character in ${JSON.stringify(text)}`);
  return `${text}\0`;
}

function layOut(stepBytes: Buffer, { bytes, relocations }: Data): Buffer {
  const relocationsAt = HEAD_BYTES + stepBytes.length;
  const dataAt = relocationsAt + (relocations.length + (relocations.length % 2)) * 4;
  const whole = Buffer.alloc(dataAt + bytes.length);
  const head = [MAGIC, stepBytes.length / STEP_BYTES, relocations.length, whole.length];
  for (const [index, word] of head.entries()) whole.writeUInt32LE(word, index * 4);
  whole.set(stepBytes, HEAD_BYTES);
  for (const [index, at] of relocations.entries()) whole.writeUInt32LE(at, relocationsAt + index * 4);
  whole.set(bytes, dataAt);
  return whole;
}

function numberOf({ call }: Step, architecture: Architecture): number {
  return call === 'fork' ? FORK_NUMBER : systemCall(call, architecture);
}

function writeStep(into: Buffer, at: number, step: Step, number: number): void {
  let flags = (step.mayFail ? MAY_FAIL : 0) | (step.store ? STORE : 0);
  for (const [index, argument] of step.arguments.entries()) {
    if (typeof argument === 'object') flags |= 1 << (argument.kind === 'address' ? index : index + 6);
    into.writeBigUInt64LE(BigInt.asUintN(64, wordOf(argument)), at + 16 + index * WORD);
  }
  into.writeUInt32LE(number, at);
  into.writeUInt32LE(flags, at + 4);
  into.writeUInt32LE(step.store?.offset ?? 0, at + 8);
  into.writeUInt32LE(step.into?.register ?? 0, at + 12);
}

function wordOf(argument: Argument): bigint {
  if (typeof argument === 'bigint') return argument;
  if (typeof argument === 'number') return BigInt(argument);
  return BigInt(argument.kind === 'address' ? argument.offset : argument.register);
}
