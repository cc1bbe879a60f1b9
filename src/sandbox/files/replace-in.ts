/** New content under a name in a folder: whoever reads it sees all of the old or all of the new, also after a power cut. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

import { errorCode } from '../../core/file-problem.js';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_DIRECTORY, O_WRONLY } = fs.constants;

export type NewContent = {
  readonly name: string;
  readonly existing: Stats | undefined;
  readonly content: Uint8Array;
  /** The last chance to refuse. */
  readonly beforeNaming: () => Promise<void>;
};

export async function replaceIn(folder: string, { name, existing, content, beforeNaming }: NewContent): Promise<void> {
  const target = `${folder}/${name}`;
  if (existing !== undefined) await mustBeWritable(target);
  // Not made of the name, which may be as long as names can be. Whoever guesses it only has the write fail.
  const temporary = `${folder}/.tenon-${process.pid}-${process.hrtime.bigint().toString(36)}.tmp`;
  // For nobody else until it has the mode of what it replaces.
  const handle = await fs.promises.open(
    temporary,
    O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY,
    existing === undefined ? 0o666 : 0o600,
  );
  try {
    await fill(handle, content, existing);
    await beforeNaming();
    await fs.promises.rename(temporary, target);
  } catch (error) {
    await fs.promises.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** To rename over a file one needs no right to it, so the right is asked for. A program that runs may be replaced. */
async function mustBeWritable(target: string): Promise<void> {
  try {
    const handle = await fs.promises.open(target, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    await handle.close();
  } catch (error) {
    if (!['ENOENT', 'ETXTBSY', 'ELOOP'].includes(errorCode(error))) throw error;
  }
}

async function fill(handle: FileHandle, content: Uint8Array, existing: Stats | undefined): Promise<void> {
  try {
    await handle.writeFile(content);
    if (existing !== undefined) await keepOwnerAndMode(handle, existing);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The owner first, because a change of owner may change the mode. Rights of a group that cannot be kept are not handed to
 * another group, nor is the right to act as the owner. A system without modes keeps none.
 */
async function keepOwnerAndMode(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const sameGroup = await handle
    .chown(uid, gid)
    .catch(() => handle.chown(-1, gid))
    .then(
      () => true,
      () => false,
    );
  await handle.chmod(mode & (sameGroup ? 0o777 : 0o707)).catch(() => undefined);
}

/** So that the new name outlives a power cut; not every system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.promises.open(folder, O_RDONLY | O_DIRECTORY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
