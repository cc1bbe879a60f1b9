/** Writing that outlives a power cut. */
import fs from 'node:fs';
import path from 'node:path';

/** A new file for the user alone; throws when there is one of that name. */
export async function writeThrough(file: string, content: string | Uint8Array): Promise<void> {
  const descriptor = written(file, content);
  await sync(descriptor).finally(() => fs.closeSync(descriptor));
}

/** The same, and its name with it. It is there for all to see when this returns, and safe when what is returned resolves. */
export function writeNameThrough(file: string, content: string | Uint8Array): Promise<unknown> {
  const descriptor = written(file, content);
  const waits = [sync(descriptor).finally(() => fs.closeSync(descriptor)), syncFolder(path.dirname(file))];
  return Promise.all(waits);
}

/** Into memory; what takes long is the way to the disk. */
function written(file: string, content: string | Uint8Array): number {
  const descriptor = fs.openSync(file, 'wx', 0o600);
  try {
    fs.writeFileSync(descriptor, content);
    return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
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
