/** What became of a program that the runner was given, read from the file it was in: every number comes from there. */
import os from 'node:os';

import { MAGIC } from './program.js';
import type { Program } from './program.js';

export type RunnerOutcome =
  /** A step failed, and the command was never reached. */
  | { readonly kind: 'stopped'; readonly what: string; readonly errno: number }
  /** The command has ended, with the status that `wait` gives. */
  | { readonly kind: 'ended'; readonly status: number }
  /** Nobody told: the command took the runner's place, or all of it was killed. */
  | { readonly kind: 'untold' };

/** A system call of the command that was seen before the system answered it. */
export type WatchedCall = {
  readonly pid: number;
  /** Which line of the table it was seen by. */
  readonly entry: number;
  readonly arguments: readonly bigint[];
  /** What the pointer pointed to. */
  readonly bytes: Uint8Array;
  /** The folder that a relative path starts from. */
  readonly folder: string;
};

const STATE_AT = 16;
const STOPPED = 1;
const ENDED = 2;

export function runnerOutcome(file: Buffer, program: Program): RunnerOutcome {
  const [state, step, error, status] = [0, 1, 2, 3].map((word) => file.readUInt32LE(STATE_AT + word * 4));
  if (state === STOPPED) return { kind: 'stopped', what: program.steps[step ?? 0]?.what ?? '', errno: error ?? 0 };
  return state === ENDED ? { kind: 'ended', status: status ?? 0 } : { kind: 'untold' };
}

/** What went wrong, in words; undefined when nothing did. */
export function stepProblem(outcome: RunnerOutcome): string | undefined {
  return outcome.kind === 'stopped' ? `${outcome.what}: ${errorName(outcome.errno)}` : undefined;
}

export function errorName(errno: number): string {
  const known = Object.entries(os.constants.errno).find(([, number]) => number === errno);
  return known?.[0] ?? `error ${errno}`;
}

const RECORD_BYTES = 96;

/** What follows the program in the file, record by record. */
export function watchedCalls(file: Buffer, program: Program): readonly WatchedCall[] {
  const found: WatchedCall[] = [];
  let at = Math.ceil(program.bytes.length / 8) * 8;
  while (at + RECORD_BYTES <= file.length && file.readUInt32LE(at + RECORD_BYTES - 4) === MAGIC) {
    const [entry = 0, copied = 0, folder = 0] = [0, 1, 2].map((word) => file.readUInt32LE(at + 80 + word * 4));
    const text = at + RECORD_BYTES;
    found.push({
      pid: file.readUInt32LE(at + 8),
      entry,
      arguments: [0, 1, 2, 3, 4, 5].map((index) => file.readBigUInt64LE(at + 32 + index * 8)),
      bytes: file.subarray(text, text + copied),
      folder: file.subarray(text + copied, text + copied + folder).toString(),
    });
    at += Math.ceil((RECORD_BYTES + copied + folder) / 8) * 8;
  }
  return found;
}
