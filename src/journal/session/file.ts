/** The file of one session, as it lies there: a regular one, and no link. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

import { ConfigError, messageOf } from '../../core/errors.js';
import { errorCode } from '../../core/file-problem.js';
import type { SessionBytes } from './text.js';

const FOR_READING = constants.O_RDONLY;
const FOR_ADDING = constants.O_RDWR | constants.O_APPEND;

/** Returns its descriptor. */
export function openSessionFile(file: string, id: string, access: 'read' | 'add'): number {
  const flags = access === 'read' ? FOR_READING : FOR_ADDING;
  try {
    // Never waiting for whoever writes to a pipe.
    const descriptor = openSync(file, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw noSession(id);
    const why = errorCode(error) === 'ELOOP' ? 'it is a link' : messageOf(error);
    throw new ConfigError(`session ${id} cannot be opened: ${why}`, { cause: error });
  }
  throw new ConfigError(`session ${id} cannot be opened: ${file} is not a regular file`);
}

export function noSession(text: string): ConfigError {
  return new ConfigError(`there is no session ${text}; tenon sessions list --all shows those there are`);
}

export type SessionOnDisk = SessionBytes & { readonly usedAt: Date };

/** Also while another process has it. */
export function readSessionFile(file: string, id: string): SessionOnDisk {
  const descriptor = openSessionFile(file, id, 'read');
  try {
    return { id, file, usedAt: fstatSync(descriptor).mtime, bytes: allBytes(descriptor, file) };
  } finally {
    closeSync(descriptor);
  }
}

/** Beginnings are not longer, as a rule. */
const BEGINNING_BYTES = 4 * 1024;

/** Its first line, with whatever was read along. */
export function readSessionBeginning(file: string, id: string): SessionBytes {
  const descriptor = openSessionFile(file, id, 'read');
  try {
    const bytes = firstBytes(descriptor, Math.min(fstatSync(descriptor).size, BEGINNING_BYTES));
    return { id, file, bytes: bytes.includes('\n') ? bytes : allBytes(descriptor, file) };
  } finally {
    closeSync(descriptor);
  }
}

/** What the system reads at once. */
const LARGEST = 2 ** 31 - 1;

export function allBytes(descriptor: number, file: string): Buffer {
  const { size } = fstatSync(descriptor);
  if (size > LARGEST) throw new ConfigError(`${file} is too large to be read: a session has at most 2 GiB`);
  return firstBytes(descriptor, size);
}

function firstBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let done = 0;
  while (done < bytes.length) {
    const more = readSync(descriptor, bytes, done, bytes.length - done, done);
    // Somebody made it shorter.
    if (more === 0) break;
    done += more;
  }
  return bytes.subarray(0, done);
}
