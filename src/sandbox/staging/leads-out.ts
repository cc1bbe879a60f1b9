/** Where a staged link would lead once everything is committed, followed through old and new links alike. */
import { isUtf8 } from 'node:buffer';
import { lstat, readlink } from 'node:fs/promises';

import type { Change } from '../../core/staging.js';
import type { Stage } from './stage.js';

/** The system follows no more links than that either. */
const MOST_LINKS = 40;

/** Whether a link leaves the workspace at any step; one that cannot be followed to its end counts as leading out. */
export async function leadsOut(stage: Stage, changes: ReadonlyMap<string, Change>, link: string): Promise<boolean> {
  const at = link.split('/');
  const left: string[] = [at.pop() ?? ''];
  for (let links = 0; ;) {
    const part = left.shift();
    if (part === undefined) return false;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return true;
      continue;
    }
    at.push(part);
    const target = await targetOf(stage, changes, at.join('/'));
    if (target === undefined) continue;
    if (links++ === MOST_LINKS) return true;
    at.pop();
    const inside = startOf(stage, target);
    if (inside === undefined) return true;
    if (target.startsWith('/')) at.length = 0;
    left.unshift(...inside.split('/'));
  }
}

/** An absolute target is read from the workspace on, if that is where it begins. */
function startOf({ lower }: Stage, target: string): string | undefined {
  if (!target.startsWith('/')) return target;
  const plain = target.replaceAll(/\/{2,}/g, '/');
  if (plain === lower) return '.';
  return plain.startsWith(`${lower}/`) ? plain.slice(lower.length + 1) : undefined;
}

async function targetOf(stage: Stage, changes: ReadonlyMap<string, Change>, path: string): Promise<string | undefined> {
  const change = changes.get(path);
  if (change !== undefined) {
    return change.staged?.entry === 'link' ? targetAt(`${stage.upper}/${path}`) : undefined;
  }
  const file = `${stage.lower}/${path}`;
  try {
    return (await lstat(file)).isSymbolicLink() ? await targetAt(file) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function targetAt(link: string): Promise<string> {
  const bytes = await readlink(link, { encoding: 'buffer' });
  if (!isUtf8(bytes)) throw new Error('where the link leads is not valid UTF-8');
  return bytes.toString();
}
