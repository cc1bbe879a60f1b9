/** Puts a staged file or link into the workspace: whole, under another name first, so that nobody sees half of it. */
import { constants } from 'node:fs';
import { link, lstat, open, readlink, rename, symlink, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { inParent, openFile } from './beneath.js';
import { factsOf, isSame } from './facts.js';
import type { Change } from '../../core/staging.js';
import { between, setAside } from './replay.js';
import type { Replay } from './replay.js';

const CHUNK = 256 * 1024;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export async function placeEntry(replay: Replay, change: Change): Promise<void> {
  const { lower } = replay;
  const { path: file, present } = change;
  const draft = path.posix.join(path.posix.dirname(file), replay.freshName());
  try {
    await (change.entry === 'link' ? draftLink : draftFile)(replay, change, draft);
    // A folder that had this name is gone by now.
    const isOver = present !== undefined && present.entry !== 'folder';
    if (isOver) await setAside(replay, change, linkOrRename);
    await between(lower, { from: draft, to: file }, isOver ? rename : placeNew);
    if (!isOver) replay.note(file, () => inParent(lower, file, (at) => unlink(at)));
  } finally {
    await inParent(lower, draft, (at) => unlink(at)).catch(unlessMissing);
  }
}

async function draftLink({ lower, upper }: Replay, { path: file, staged }: Change, draft: string): Promise<void> {
  const target = await inParent(upper, file, async (at) => {
    if (!isSame(staged, factsOf(await lstat(at, { bigint: true })))) throw changed();
    return readlink(at);
  });
  await inParent(lower, draft, (at) => symlink(target, at));
}

async function draftFile({ lower, upper }: Replay, change: Change, draft: string): Promise<void> {
  const from = await openFile(upper, change.path);
  try {
    const to = await inParent(lower, draft, (at) => open(at, NEW_FILE, 0o600));
    try {
      await copyContent(from, to, change);
      await keepOwner(lower, to, change);
      const { atimeMs, mtimeMs, mode } = await from.stat();
      await to.chmod(mode & 0o777);
      await to.utimes(atimeMs / 1000, mtimeMs / 1000);
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copyContent(from: FileHandle, to: FileHandle, { staged }: Change): Promise<void> {
  const buffer = Buffer.alloc(CHUNK);
  for (let at = 0; ;) {
    const { bytesRead } = await from.read(buffer, 0, CHUNK, at);
    if (bytesRead === 0) break;
    await to.writeFile(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  if (!isSame(staged, factsOf(await from.stat({ bigint: true })))) throw changed();
}

/** A file that is written anew belongs to whoever it belonged to. */
async function keepOwner(lower: FileHandle, to: FileHandle, { path: file, present }: Change): Promise<void> {
  if (present?.entry !== 'file') return;
  const [before, now] = [await inParent(lower, file, (at) => lstat(at)), await to.stat()];
  if (before.uid !== now.uid || before.gid !== now.gid) await to.chown(before.uid, before.gid);
}

/** A second name keeps the first in place, so that there is no moment without the file. Not every file system has them. */
async function linkOrRename(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => rename(from, to));
}

/** Fails where something has appeared meanwhile, which a rename would overwrite. */
async function placeNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await lstat(to).then(() => Promise.reject(new Error('something has appeared in its place')), unlessMissing);
    await rename(from, to);
  }
}

function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function changed(): Error {
  return new Error('it has changed in the stage meanwhile');
}
