/** All that comes on standard input, which has to be text: what is not would come out as something else. */
import { isUtf8 } from 'node:buffer';

import { UsageError } from './usage-error.js';

export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new UsageError('standard input is not UTF-8 text');
  return bytes.toString();
}
