/**
 * Programs for the runner that try something and tell each call's result. They run inside of the sandbox as an ordinary
 * command, so no compiler or interpreter is needed there, and an error arrives as the kernel gave it.
 */
import os from 'node:os';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import type { Architecture, SystemCall } from '../../../src/sandbox/linux/system-calls.js';
import { createProgram, HEAD_BYTES } from '../../../src/sandbox/runner/program.js';
import type { Address, Argument, ProgramBuilder, Result } from '../../../src/sandbox/runner/program.js';
import type { Try } from './row.js';

export interface Probe {
  readonly architecture: Architecture;
  call(call: SystemCall, args?: readonly Argument[]): Result;
  /** A call that has no name here. */
  number(number: number, args?: readonly Argument[]): Result;
  /** A call whose result does not matter. */
  aside(call: SystemCall, args?: readonly Argument[]): Result;
  /** Opens a file as `openat` does from the current folder. */
  open(file: string, flags: number, mode?: number): Result;
  text(text: string): Address;
  bytes(bytes: Uint8Array): Address;
  structure: ProgramBuilder['structure'];
  pointers: ProgramBuilder['pointers'];
}

export const ARCHITECTURE: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

const isArm = ARCHITECTURE === 'arm64';
const FOLDER = isArm ? 0o40000 : 0o200000;

export const OPEN = {
  read: 0,
  write: 1,
  both: 2,
  create: 0o101,
  truncate: 0o1001,
  folder: FOLDER,
  path: 0o10000000,
  unnamed: 0o20000002 | FOLDER,
  nonblocking: 0o4001,
} as const;

export type ProbeProgram = { readonly bytes: Buffer; results(output: Buffer): readonly string[] };

const STEP_BYTES = 64;
const RESULT_BYTES = 4;

export function compileTries(tries: readonly Try[]): ProbeProgram {
  const counter = createProgram(ARCHITECTURE);
  const size = tries.reduce((sum, each) => sum + recordTry(each, counter, { kind: 'address', offset: 0 }).calls, 0);
  const program = createProgram(ARCHITECTURE);
  const results = program.bytes(new Uint8Array(Math.max(1, size) * RESULT_BYTES));
  const counts: number[] = [];
  const patches: (readonly [step: number, number: number])[] = [];
  let steps = 0;
  let calls = 0;
  for (const each of tries) {
    const recorded = recordTry(each, program, { kind: 'address', offset: results.offset + calls * RESULT_BYTES });
    patches.push(...recorded.patches.map(([step, number]) => [steps + step, number] as const));
    counts.push(recorded.calls);
    calls += recorded.calls;
    steps += recorded.steps;
  }
  program.call('telling', 'write', [1, results, size * RESULT_BYTES]);
  const { bytes } = program.build();
  for (const [step, number] of patches) bytes.writeUInt32LE(number, HEAD_BYTES + step * STEP_BYTES);
  return { bytes, results: (output) => outcomes(output, counts) };
}

type Recorded = {
  readonly calls: number;
  readonly steps: number;
  readonly patches: readonly (readonly [step: number, number: number])[];
};

/** Every result goes into a place of its own, from `first` on. */
function recordTry({ name, calls: make }: Try, program: ProgramBuilder, first: Address): Recorded {
  const patches: (readonly [step: number, number: number])[] = [];
  const kept: Result[] = [];
  let calls = 0;
  let steps = 0;
  const add = (call: SystemCall, args: readonly Argument[], isTold: boolean): Result => {
    const store: Address = { kind: 'address', offset: first.offset + calls * RESULT_BYTES };
    const result = program.open(name, call, args, { mayFail: true, ...(isTold && { store }) });
    if (isTold) calls += 1;
    steps += 1;
    kept.push(result);
    return result;
  };
  make({
    architecture: ARCHITECTURE,
    call: (call, args = []) => add(call, args, true),
    aside: (call, args = []) => add(call, args, false),
    number(number, args = []) {
      patches.push([steps, number]);
      return add('getpid', args, true);
    },
    open: (file, flags, mode = 0) => add('openat', [AT_FDCWD, program.text(file), flags, mode], true),
    text: (text) => program.text(text),
    bytes: (bytes) => program.bytes(bytes),
    structure: (bytes, pointers) => program.structure(bytes, pointers),
    pointers: (addresses) => program.pointers(addresses),
  });
  // Numbers that are no descriptors, such as those of processes, are closed as well: nobody has so many.
  for (const result of kept) program.close(result);
  return { calls, steps: steps + kept.length, patches };
}

function outcomes(output: Buffer, counts: readonly number[]): readonly string[] {
  let at = 0;
  return counts.map((count) => {
    const values = Array.from({ length: count }, (_, index) => {
      const place = at + index * RESULT_BYTES;
      return place + RESULT_BYTES <= output.length ? output.readInt32LE(place) : undefined;
    });
    at += count * RESULT_BYTES;
    if (values.includes(undefined)) return 'nothing was told';
    const failed = values.find((value) => value !== undefined && value < 0 && value > -4096);
    return failed === undefined ? 'ok' : errorName(-failed);
  });
}

function errorName(errno: number): string {
  const known = Object.entries(os.constants.errno).find(([, number]) => number === errno);
  return known?.[0] ?? OTHER_ERRORS[errno] ?? `error ${errno}`;
}

const OTHER_ERRORS: Readonly<Record<number, string>> = { 95: 'EOPNOTSUPP', 11: 'EAGAIN' };
