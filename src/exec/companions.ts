/** Programs that come with us, or that a user has: where they are, found when they are first asked for. */
import path from 'node:path';

import { once } from '../core/once.js';
import type { Companion } from '../core/workspace.js';
import { isExecutable } from './is-executable.js';
import { packagedRipgrep } from './packaged-ripgrep.js';
import { realPath } from './real-path.js';
import { isUntrusted } from './untrusted-folders.js';

export type CompanionOptions = {
  /** Folders that confined commands write to: nothing in there is run. Default: none. */
  readonly untrustedFolders?: readonly string[];
};

type CommandLine = readonly string[] | undefined;

export function createCompanions({ untrustedFolders = [] }: CompanionOptions = {}): (
  name: Companion,
) => Promise<CommandLine> {
  const find: Readonly<Record<Companion, () => Promise<CommandLine>>> = {
    search: once(async () => {
      const ripgrep = packagedRipgrep() ?? findOnPath('rg', process.env['PATH'] ?? '', untrustedFolders);
      return ripgrep === undefined ? undefined : [ripgrep];
    }),
    'scale-image': once(async () => (await import('./scale-image.js')).scaleImageCommand()),
  };
  return (name) => find[name]();
}

/** A program that may be run. Its real place counts: a link may lead to where commands write. */
export function findOnPath(name: string, search: string, untrusted: readonly string[]): string | undefined {
  const folders = search.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = folders.map((folder) => path.join(folder, name)).filter(isExecutable);
  return files.map(realPath).find((file) => !isUntrusted(path.dirname(file), untrusted));
}
