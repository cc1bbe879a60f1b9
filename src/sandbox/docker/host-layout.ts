/** What the top of this system looks like, as far as its programs need it. A container gets the same. */
import fs from 'node:fs';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';

export type HostLayout = {
  /** Folders of the system that are shown read-only. */
  readonly shown: readonly AbsolutePath[];
  /** Links at the top, such as `/bin` to `usr/bin`. */
  readonly links: readonly { readonly path: AbsolutePath; readonly target: string }[];
};

const SYSTEM = ['/usr', '/etc', '/opt', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

export async function readHostLayout(): Promise<HostLayout> {
  const entries = await Promise.all(SYSTEM.map(absolutePath).map(look));
  const found = entries.filter((entry) => entry !== undefined);
  return {
    shown: found.flatMap((entry) => (entry.target === undefined ? [entry.path] : [])),
    links: found.flatMap(({ path, target }) => (target === undefined ? [] : [{ path, target }])),
  };
}

type Entry = { readonly path: AbsolutePath; readonly target?: string };

async function look(path: AbsolutePath): Promise<Entry | undefined> {
  const stats = await fs.promises.lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) return { path, target: await fs.promises.readlink(path) };
  return stats?.isDirectory() ? { path } : undefined;
}
