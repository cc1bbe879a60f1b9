/** Reading: nothing of a file is opened for reading before it is known where it really is. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

import { FileProblem, fileProblem } from '../core/file-problem.js';
import type { OpenFile } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { identityOf, isSame, Moved, openAnchor } from './anchor.js';
import type { Anchor } from './anchor.js';
import { denied } from './guard.js';
import type { Access, Guard } from './guard.js';

// Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
const READ_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;

export async function openFile({ anchoring, guard }: Access, path: AbsolutePath): Promise<OpenFile> {
  if (guard === undefined) return asOpenFile(await fs.promises.open(path, READ_FLAGS), path);
  const anchor = await openAnchor(anchoring, path);
  try {
    // Pipes and sockets have no place that could be asked for.
    if (!anchor.stats.isFile() && !anchor.stats.isDirectory()) throw new FileProblem('special', path);
    await mustBeReadable(guard, anchor, path);
    if (anchor.stats.isDirectory()) throw new FileProblem('folder', path);
    return await asOpenFile(await reopen(anchor), path);
  } finally {
    await anchor.close();
  }
}

export async function mustBeReadable(guard: Guard, anchor: Anchor, path: AbsolutePath): Promise<void> {
  const found = await anchor.whereabouts();
  if (!guard.mayRead(found)) throw denied(guard, 'read', found.path, path);
}

async function reopen(anchor: Anchor): Promise<FileHandle> {
  const handle = await fs.promises.open(anchor.path, READ_FLAGS);
  if (isSame(identityOf(fs.fstatSync(handle.fd)), identityOf(anchor.stats))) return handle;
  await handle.close();
  throw new Moved(anchor.path);
}

async function asOpenFile(handle: FileHandle, path: AbsolutePath): Promise<OpenFile> {
  try {
    return regularFile(handle, regularStats(handle, path), path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function regularStats(handle: FileHandle, path: AbsolutePath): Stats {
  const stats = fs.fstatSync(handle.fd);
  if (stats.isDirectory()) throw new FileProblem('folder', path);
  if (!stats.isFile()) throw new FileProblem('special', path);
  return stats;
}

function regularFile(handle: FileHandle, { size, mode }: Stats, path: AbsolutePath): OpenFile {
  return {
    size,
    mode: mode & 0o7777,
    async read(into, position) {
      try {
        return (await handle.read(into, 0, into.length, position)).bytesRead;
      } catch (error) {
        throw fileProblem(error, path);
      }
    },
    close: () => handle.close(),
  };
}
