/** Commands of ours that programs find on their search path, after all others. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

type Environment = Readonly<Record<string, string>>;

/** What is added to an environment so that they are found; the environment as it is where they were not built. */
export function ownCommands(): (env: Environment) => Environment {
  const folder = commandFolder();
  if (folder === undefined) return (env) => env;
  return (env) => {
    // A shell without a search path has one of its own.
    if (!env['PATH']) return env;
    // The Node that runs us need not be on the path itself.
    return { ...env, PATH: `${env['PATH']}${path.delimiter}${folder}`, TENON_NODE: process.execPath };
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
