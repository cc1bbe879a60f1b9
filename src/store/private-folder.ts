/** Folders for the user alone. */
import fs from 'node:fs/promises';
import path from 'node:path';

/** With those above it; what is there stays as it is. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const above = path.dirname(folder);
  try {
    await makeOne(folder);
  } catch (error) {
    // Node's own `recursive` never ends where a folder is said to be missing that is there, as in `/proc`.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    await makePrivateFolder(above);
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'EISDIR') throw error;
  }
}
