/** What was seen as a state to go back to. */
import type { FileState } from '../core/files.js';
import type { Seen } from './scan.js';

/** Undefined where that is not known: its content was not read, or it is a device, pipe or socket. */
export function seenState({ kind, stats, content, target }: Seen): FileState | undefined {
  const mode = stats.mode & 0o7777;
  if (kind === 'folder') return { kind, mode };
  if (kind === 'link' && target !== undefined) return { kind, target };
  return kind === 'file' && content ? { kind, content, mode } : undefined;
}
