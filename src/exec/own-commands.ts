/** Commands of ours that programs find on their search path, after all others. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { packagedRipgrep } from './packaged-ripgrep.js';

type Environment = Readonly<Record<string, string>>;

/** What is added to an environment so that they are found; the environment as it is where there are none. */
export function ownCommands(): (env: Environment) => Environment {
  const folders = [commandFolder(), ripgrepFolder()].filter((folder) => folder !== undefined);
  if (folders.length === 0) return (env) => env;
  const behind = folders.map((folder) => `${path.delimiter}${folder}`).join('');
  return (env) => {
    // A shell without a search path has one of its own.
    if (!env['PATH']) return env;
    // The Node that runs us need not be on the path itself.
    return { ...env, PATH: `${env['PATH']}${behind}`, TENON_NODE: process.execPath };
  };
}

/** Beside the program, or where it is built from the sources. */
function commandFolder(): string | undefined {
  const here = import.meta.url;
  const file = here.startsWith('file:') ? fileURLToPath(here) : here;
  return [path.join(file, '../commands'), path.join(file, '../../../dist/commands')].find((folder) =>
    existsSync(folder),
  );
}

/** Models search with `rg`, whether the machine has one or not. Nothing else is in that folder. */
function ripgrepFolder(): string | undefined {
  const program = packagedRipgrep();
  return program === undefined ? undefined : path.dirname(program);
}
