/** The files of this machine, opened so that nothing but a regular file can be read or written by mistake. */
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

import { FileProblem, fileProblem } from '../core/file-problem.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Files, OpenFile } from '../core/workspace.js';

// Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
const READ_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;
const WRITE_FLAGS = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;

export const localFiles: Files = {
  async open(path) {
    const handle = await fs.promises.open(path, READ_FLAGS).catch((error: unknown) => {
      throw fileProblem(error, path);
    });
    try {
      return await asRegularFile(handle, path);
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
  async write(path, content) {
    const handle = await fs.promises.open(path, WRITE_FLAGS).catch((error: unknown) => {
      throw fileProblem(error, path);
    });
    try {
      await asRegularFile(handle, path);
      await handle.truncate(0);
      await handle.writeFile(content);
    } catch (error) {
      throw fileProblem(error, path);
    } finally {
      await handle.close();
    }
  },
};

async function asRegularFile(handle: FileHandle, path: AbsolutePath): Promise<OpenFile> {
  const stats = await handle.stat();
  if (stats.isDirectory()) throw new FileProblem('folder', path);
  if (!stats.isFile()) throw new FileProblem('special', path);
  return {
    size: stats.size,
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
