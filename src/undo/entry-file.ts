/** An entry on the disk: a line of JSON, then the bytes of the contents one after the other. */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import type { EntryHeader, StoredState } from './entry.js';
import { parseHeader } from './parse-header.js';

const FIRST_READ = 16 * 1024;
const LONGEST_LINE = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

export function entryBytes(header: EntryHeader, contents: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...contents]);
}

/** Undefined where there is no such entry, or it is not whole. */
export async function readHeader(file: string): Promise<EntryHeader | undefined> {
  return reading(file, async (handle) => (await headerIn(handle))?.header);
}

/** The entry with all of its contents; for a state whose content was not kept there is none. */
export type WholeEntry = {
  readonly header: EntryHeader;
  readonly contentOf: (state: StoredState) => Uint8Array | undefined;
};

export async function readEntry(file: string): Promise<WholeEntry | undefined> {
  return reading(file, async (handle) => {
    const found = await headerIn(handle);
    if (found === undefined) return undefined;
    const contents = await readFrom(handle, found.end, found.size - found.end);
    return { header: found.header, contentOf: (state) => contentIn(contents, state) };
  });
}

async function reading<Value>(file: string, use: (handle: FileHandle) => Promise<Value>): Promise<Value | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    // Somebody else has removed or renamed it since it was listed.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

type Found = { readonly header: EntryHeader; readonly end: number; readonly size: number };

async function headerIn(handle: FileHandle): Promise<Found | undefined> {
  const { size } = await handle.stat();
  for (let length = Math.min(FIRST_READ, size); length <= LONGEST_LINE; length = Math.min(length * 8, size)) {
    const bytes = await readFrom(handle, 0, length);
    const end = bytes.indexOf(NEWLINE);
    if (end >= 0) {
      const header = parseHeader(bytes.toString('utf8', 0, end));
      return header && isWhole(header, size - end - 1) ? { header, end: end + 1, size } : undefined;
    }
    if (length === size) return undefined;
  }
  return undefined;
}

/** What was being written when the power went is shorter than it says. */
function isWhole({ files }: EntryHeader, bytes: number): boolean {
  return files.every(({ before }) => {
    if (before.kind !== 'file' || before.offset === undefined) return true;
    return before.offset + before.size <= bytes;
  });
}

function contentIn(contents: Buffer, state: StoredState): Uint8Array | undefined {
  if (state.kind !== 'file' || state.offset === undefined) return undefined;
  return contents.subarray(state.offset, state.offset + state.size);
}

async function readFrom(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
