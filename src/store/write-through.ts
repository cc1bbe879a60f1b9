/** Writing that outlives a power cut. */
import fs from 'node:fs/promises';

/** A new file for the user alone; throws when there is one of that name. */
export async function writeThrough(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await fs.open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** So that the names in it outlive a power cut; not every system can. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
