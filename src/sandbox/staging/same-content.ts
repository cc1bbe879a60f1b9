/** Whether two regular files hold the same bytes. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

const CHUNK = 256 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file that cannot be read is not the same as any other. */
export async function hasSameContent(one: string, other: string): Promise<boolean> {
  const handles: FileHandle[] = [];
  try {
    for (const file of [one, other]) handles.push(await open(file, FLAGS));
    const [first, second] = handles;
    return first !== undefined && second !== undefined && (await compare(first, second));
  } catch {
    return false;
  } finally {
    for (const handle of handles) await handle.close();
  }
}

async function compare(one: FileHandle, other: FileHandle): Promise<boolean> {
  const { size } = await one.stat();
  if ((await other.stat()).size !== size) return false;
  const [ours, theirs] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
  for (let at = 0; at < size; at += CHUNK) {
    const length = Math.min(CHUNK, size - at);
    await fill(one, ours.subarray(0, length), at);
    await fill(other, theirs.subarray(0, length), at);
    if (!ours.subarray(0, length).equals(theirs.subarray(0, length))) return false;
  }
  return true;
}

async function fill(handle: FileHandle, into: Buffer, position: number): Promise<void> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await handle.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    done += bytesRead;
  }
}
