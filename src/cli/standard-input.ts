/** All that comes on standard input, which has to be text: what is not would come out as something else. */
import { isUtf8 } from 'node:buffer';
import { fstatSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';

import { UsageError } from './usage-error.js';

export async function readStandardInput(): Promise<string> {
  // What is there at once, such as nothing at all, needs no stream, which takes longer to set up than to read.
  const bytes = hasToBeWaitedFor() ? await readStream() : readFileSync(0);
  if (!isUtf8(bytes)) throw new UsageError('standard input is not UTF-8 text');
  return bytes.toString();
}

/** Whoever holds the other end may take any time. */
export function isPipe(): boolean {
  const stats = fstatSync(0);
  return stats.isFIFO() || stats.isSocket();
}

/** Asked of the system: the stream would have to be set up to tell. */
export function isTerminal(): boolean {
  return isatty(0);
}

function hasToBeWaitedFor(): boolean {
  return isPipe() || isTerminal();
}

async function readStream(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
