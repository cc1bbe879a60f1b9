/**
 * Folders that confined commands write to. What lies in them may be a command's own work, so nothing in there is run by us
 * outside of a sandbox: no program of a search path, no file that a shell reads before it begins.
 */
import path from 'node:path';

import { isInside } from '../core/paths.js';
import { realPath } from './real-path.js';

type Environment = Readonly<Record<string, string>>;

/** Folders by their real paths. */
export function isUntrusted(folder: string, untrusted: readonly string[]): boolean {
  return untrusted.some((each) => isInside(realPath(each), realPath(path.resolve('/', folder))));
}

/** For a shell of ours: without those folders in its search path, and without files to read first. */
export function withoutUntrusted(env: Environment, untrusted: readonly string[]): Environment {
  if (untrusted.length === 0) return env;
  const { BASH_ENV: _, ENV: __, ...rest } = env;
  return {
    ...rest,
    PATH: foldersOf(env)
      .filter((folder) => !isUntrusted(folder, untrusted))
      .join(path.delimiter),
  };
}

/** For the command: what was left out stands first again, where projects have put it. */
export function withFolders(found: Environment, env: Environment, untrusted: readonly string[]): Environment {
  const left = foldersOf(env).filter((folder) => isUntrusted(folder, untrusted));
  return left.length === 0 ? found : { ...found, PATH: [...left, ...foldersOf(found)].join(path.delimiter) };
}

/** A relative one is wherever the shell is. */
function foldersOf({ PATH = '' }: Environment): readonly string[] {
  return PATH.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}
