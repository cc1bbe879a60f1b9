/** Reading: nothing of a file is opened for reading before it is known where it really is. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { FileProblem, fileProblem } from '../core/file-problem.js';
import type { OpenFile } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { identityOf, isSame, Moved, openAnchor } from './anchor.js';
import type { Anchor } from './anchor.js';
import { denied } from './guard.js';
import type { Access, Guard } from './guard.js';

// Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
const READ_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;

/** So few bytes take less time than the way to another thread and back. */
const MOST_READ_HERE = 64 * 1024;

export async function openFile({ anchoring, guard }: Access, path: AbsolutePath): Promise<OpenFile> {
  if (guard === undefined) return asOpenFile(fs.openSync(path, READ_FLAGS), path);
  const anchor = await openAnchor(anchoring, path);
  try {
    // Pipes and sockets have no place that could be asked for.
    if (!anchor.stats.isFile() && !anchor.stats.isDirectory()) throw new FileProblem('special', path);
    await mustBeReadable(guard, anchor, path);
    if (anchor.stats.isDirectory()) throw new FileProblem('folder', path);
    return asOpenFile(reopen(anchor), path);
  } finally {
    await anchor.close();
  }
}

export async function mustBeReadable(guard: Guard, anchor: Anchor, path: AbsolutePath): Promise<void> {
  const found = await anchor.whereabouts();
  if (!guard.mayRead(found)) throw denied(guard, 'read', found.path, path);
}

function reopen(anchor: Anchor): number {
  const descriptor = fs.openSync(anchor.path, READ_FLAGS);
  if (isSame(identityOf(fs.fstatSync(descriptor)), identityOf(anchor.stats))) return descriptor;
  fs.closeSync(descriptor);
  throw new Moved(anchor.path);
}

function asOpenFile(descriptor: number, path: AbsolutePath): OpenFile {
  try {
    return regularFile(descriptor, regularStats(descriptor, path), path);
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

function regularStats(descriptor: number, path: AbsolutePath): Stats {
  const stats = fs.fstatSync(descriptor);
  if (stats.isDirectory()) throw new FileProblem('folder', path);
  if (!stats.isFile()) throw new FileProblem('special', path);
  return stats;
}

function regularFile(descriptor: number, { size, mode }: Stats, path: AbsolutePath): OpenFile {
  let isOpen = true;
  return {
    size,
    mode: mode & 0o7777,
    async read(into, position) {
      try {
        return into.length <= MOST_READ_HERE
          ? fs.readSync(descriptor, into, 0, into.length, position)
          : await readElsewhere(descriptor, into, position);
      } catch (error) {
        throw fileProblem(error, path);
      }
    },
    async close() {
      // Its number may be somebody else's by the second time.
      if (isOpen) fs.closeSync(descriptor);
      isOpen = false;
    },
  };
}

function readElsewhere(descriptor: number, into: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(descriptor, into, 0, into.length, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}
