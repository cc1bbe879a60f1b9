/**
 * Ways into a folder that no link can divert: each part of a path is opened as a folder and nothing else, and the last
 * name is used below that descriptor. A link that is swapped in meanwhile makes the step fail.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Node does not name it: the place of a file only, neither its content nor a right to it. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const ENTRY = O_PATH | constants.O_NOFOLLOW;

/** The folder that everything is looked up in. Whoever opens it closes it. */
export async function openRoot(folder: string): Promise<FileHandle> {
  return open(folder, FOLDER);
}

/** Hands out a path that leads to the folder's descriptor for as long as `use` runs; `''` and `.` are the root. */
export async function inFolder<T>(root: FileHandle, folder: string, use: (at: string) => Promise<T>): Promise<T> {
  let handle = root;
  try {
    for (const part of folder.split('/').filter((text) => text !== '' && text !== '.')) {
      if (part === '..') throw new Error(`${folder} leads out of its folder`);
      const next = await open(`${placeOf(handle)}/${part}`, FOLDER);
      if (handle !== root) await handle.close();
      handle = next;
    }
    return await use(placeOf(handle));
  } finally {
    if (handle !== root) await handle.close();
  }
}

/** The same for something in a folder. Its own name may still be a link: use only calls that do not follow one. */
export async function inParent<T>(root: FileHandle, file: string, use: (at: string) => Promise<T>): Promise<T> {
  return inFolder(root, path.posix.dirname(file), (at) => use(`${at}/${path.posix.basename(file)}`));
}

/** The thing itself, pinned, for calls that would follow a link. */
export async function atEntry<T>(
  root: FileHandle,
  file: string,
  use: (at: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  return inParent(root, file, async (at) => {
    const handle = await open(at, ENTRY);
    try {
      return await use(placeOf(handle), handle);
    } finally {
      await handle.close();
    }
  });
}

/** A regular file for reading; a named pipe cannot make this wait. */
export async function openFile(root: FileHandle, file: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return inParent(root, file, (at) => open(at, flags));
}

function placeOf(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}
