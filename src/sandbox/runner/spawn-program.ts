/** The list of system calls that makes a child of the spawner into a program. */
import fs from 'node:fs';

import type { SpawnRequest } from '../../core/spawner.js';
import { AT_FDCWD } from '../linux/flags.js';
import type { Architecture } from '../linux/system-calls.js';
import { createProgram } from './program.js';
import type { Program } from './program.js';

const MAKE_PIPE = 'making a pipe';
const OWN_PIPE = fs.constants.S_IFIFO | 0o600;

const F_SETPIPE_SZ = 1031;
const PIPE_BYTES = 1024 * 1024;

/** The first of the steps that are the command's own fault when they fail. */
export const CHANGE_FOLDER = 'changing to its folder';

/**
 * The child has its three streams and nothing else open, so what it opens gets the numbers from 3 on. What is open here
 * is opened once more through `/proc`, because a descriptor cannot be sent from here.
 */
export function spawnProgram(architecture: Architecture, request: SpawnRequest): Program {
  const [file = ''] = request.argv;
  const program = createProgram(architecture);
  const ours = (descriptor: number) => program.text(`/proc/${process.pid}/fd/${descriptor}`);
  program.call('leading a session', 'setsid');
  for (const descriptor of request.descriptors) {
    program.call('handing it a file', 'openat', [AT_FDCWD, ours(descriptor), accessOf(descriptor), 0]);
  }
  const toWrite = (descriptor: number) =>
    program.open('handing it a pipe', 'openat', [AT_FDCWD, ours(descriptor), fs.constants.O_WRONLY, 0]);
  const output = toWrite(request.output);
  // Who prints much waits less often for us; not everybody may have such a pipe.
  program.call('widening its pipe', 'fcntl', [output, F_SETPIPE_SZ, PIPE_BYTES], { mayFail: true });
  for (const stream of [1, 2]) program.call('handing it a pipe', 'dup3', [output, stream, 0]);
  program.close(output);
  if (request.errors !== undefined) {
    const errors = toWrite(request.errors);
    program.call('handing it a pipe', 'dup3', [errors, 2, 0]);
    program.close(errors);
  }
  program.call(CHANGE_FOLDER, 'chdir', [program.text(request.cwd)]);
  const variables = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  program.call('becoming it', 'execve', [program.text(file), program.texts(request.argv), program.texts(variables)]);
  return program.build();
}

/** A child that only makes named pipes. */
export function pipesProgram(architecture: Architecture, names: readonly string[]): Program {
  const program = createProgram(architecture);
  for (const name of names) program.call(MAKE_PIPE, 'mknodat', [AT_FDCWD, program.text(name), OWN_PIPE, 0]);
  return program.build();
}

/** Whether it is open for reading, for writing or for both. */
function accessOf(descriptor: number): number {
  const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
  return Number.parseInt(flags ?? '0', 8) & 3;
}
