/** Waits until what was written is on the disk: the one call of a change that takes long. */
import fs from 'node:fs';

export async function syncDescriptor(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}
