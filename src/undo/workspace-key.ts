/** What the log of a workspace is called. Needed before anything else of a log is loaded, so it makes do with little. */
import path from 'node:path';

import type { AbsolutePath } from '../core/paths.js';

/** Readable, and another one for each folder. */
export function workspaceKey(cwd: AbsolutePath): string {
  const tail = path
    .basename(cwd)
    .replace(/[^\w.-]/g, '_')
    .slice(-40);
  return `${tail === '' ? 'root' : tail}-${fingerprint(cwd)}`;
}

/** FNV-1a in 64 bits. It tells folders apart; nobody gains anything by making two of them meet. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
