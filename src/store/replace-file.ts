/**
 * Files that are put in place as a whole: whoever reads one sees it before or after, and a power cut leaves one of the two.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

import { makePrivateFolder } from './private-folder.js';
import { syncFolder, writeThrough } from './write-through.js';

/** For the user alone, as is its folder if it has to be made. A link is kept, and where it leads to is replaced. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  await makePrivateFolder(path.dirname(file));
  const target = await realFile(file);
  const folder = path.dirname(target);
  const temporary = path.join(folder, `.${path.basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeThrough(temporary, content);
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function realFile(file: string): Promise<string> {
  return fs.realpath(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return file;
    throw error;
  });
}
