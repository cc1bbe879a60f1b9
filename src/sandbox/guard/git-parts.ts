/** Which parts of a git folder decide what runs, or where git looks for that. The rest is the history itself. */
import path from 'node:path';

import { statsOf } from '../resolve/places.js';

export const DECIDING_PARTS: readonly string[] = [
  'HEAD',
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'hooks',
  'info',
];

/** Folders of more git folders: those of submodules, whose names may have several parts, and of worktrees. */
export const NESTED_PARTS: readonly string[] = ['modules', 'worktrees'];

/** By its name, or by what git itself takes for the signs of one. */
export function isGitFolder(folder: string): boolean {
  if (path.basename(folder).toLowerCase() === '.git') return true;
  return has(folder, 'HEAD') && (has(folder, 'objects') || has(folder, 'commondir'));
}

function has(folder: string, name: string): boolean {
  return statsOf(path.join(folder, name)) !== undefined;
}
