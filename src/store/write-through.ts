/** Writing that outlives a power cut. */
import fs from 'node:fs';
import path from 'node:path';

/** A new file for the user alone; throws when there is one of that name. */
export async function writeThrough(file: string, content: string | Uint8Array): Promise<void> {
  await writeAnd(sync, file, content);
}

/** The same, and its name with it: the disk is waited for once. */
export async function writeNameThrough(file: string, content: string | Uint8Array): Promise<void> {
  await writeAnd((descriptor) => Promise.all([sync(descriptor), syncFolder(path.dirname(file))]), file, content);
}

async function writeAnd(
  wait: (descriptor: number) => Promise<unknown>,
  file: string,
  content: string | Uint8Array,
): Promise<void> {
  const descriptor = fs.openSync(file, 'wx', 0o600);
  try {
    // Into memory; what takes long is the way to the disk.
    fs.writeFileSync(descriptor, content);
    await wait(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** So that the names in it outlive a power cut; not every system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const descriptor = fs.openSync(folder, 'r');
    await sync(descriptor).finally(() => fs.closeSync(descriptor));
  } catch {
    // The names are there all the same.
  }
}

async function sync(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}
