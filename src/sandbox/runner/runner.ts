/**
 * The runner on this machine: the embedded binary and the programs it is given, both in files without a name that only
 * descriptors lead to, so that nobody can put something else in their place.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { messageOf } from '../../core/errors.js';
import type { Architecture } from '../linux/system-calls.js';
import { BINARIES } from './binaries.js';
import { runnerOutcome, watchedCalls } from './outcome.js';
import type { RunnerOutcome, WatchedCall } from './outcome.js';
import type { Program } from './program.js';

export interface Runner {
  /** The descriptor of the binary. */
  readonly descriptor: number;
  load(program: Program): LoadedProgram;
  close(): void;
}

/** A program in its file. */
export interface LoadedProgram {
  readonly descriptor: number;
  /** What has become of it; to be asked once its process has ended. */
  outcome(): RunnerOutcome;
  /** What was seen of the command meanwhile. */
  watched(): readonly WatchedCall[];
  close(): void;
}

/** Where the runner finds itself, as a path for `execve`: the second descriptor after the standard ones. */
export const RUNNER_PATH = '/proc/self/fd/4';

/** `folders`: where files may be made, the best first. Throws when none will do. */
export function openRunner(architecture: Architecture, folders: readonly string[]): Runner {
  const binary = verifiedBinary(architecture);
  const { folder, descriptor } = firstThatRuns(folders, binary);
  const memory = isWritable(MEMORY) ? MEMORY : folder;
  return {
    descriptor,
    load: (program) => loadProgram(program, memory),
    close: () => fs.closeSync(descriptor),
  };
}

/** Files in memory are quicker to make, but often cannot be run. */
const MEMORY = '/dev/shm';

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function verifiedBinary(architecture: Architecture): Buffer {
  const { base64, sha256 } = BINARIES[architecture];
  const bytes = Buffer.from(base64, 'base64');
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw new Error('the embedded runner is damaged; install the package again');
}

type Opened = { readonly folder: string; readonly descriptor: number };

function firstThatRuns(folders: readonly string[], binary: Buffer): Opened {
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      return { folder, descriptor: executableIn(folder, binary) };
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  throw new Error(`there is no folder from which its runner can be started: ${problems.join('; ')}`);
}

/** A file that is open for writing cannot be run, so it is opened again for reading alone. */
function executableIn(folder: string, binary: Buffer): number {
  const written = unnamedFile(folder, 0o500);
  try {
    fs.writeSync(written, binary, 0, binary.length, 0);
    fs.accessSync(`/proc/self/fd/${written}`, fs.constants.X_OK);
    return fs.openSync(`/proc/self/fd/${written}`, 'r');
  } finally {
    fs.closeSync(written);
  }
}

/** Where the system can make it so, it never has a name; else only until it is open. */
function unnamedFile(folder: string, mode: number): number {
  try {
    return fs.openSync(folder, NEVER_NAMED, mode);
  } catch {
    const name = path.join(folder, `.tenon-${process.pid}-${process.hrtime.bigint()}`);
    const descriptor = fs.openSync(name, 'wx+', mode);
    fs.unlinkSync(name);
    return descriptor;
  }
}

/** `O_TMPFILE`, which Node does not name. */
const NEVER_NAMED = 0o20000000 | fs.constants.O_DIRECTORY | fs.constants.O_RDWR;

function loadProgram(program: Program, folder: string): LoadedProgram {
  const descriptor = unnamedFile(folder, 0o600);
  try {
    fs.writeFileSync(descriptor, program.bytes);
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  const whole = (): Buffer => {
    const bytes = Buffer.alloc(fs.fstatSync(descriptor).size);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
  };
  return {
    descriptor,
    outcome: () => runnerOutcome(whole(), program),
    watched: () => watchedCalls(whole(), program),
    close: () => fs.closeSync(descriptor),
  };
}
