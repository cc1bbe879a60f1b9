/** Where a program is, as the system looks for it: a launcher is told a whole path. */
import fs from 'node:fs';
import path from 'node:path';

import { absolutePath, isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Program } from '../core/workspace.js';

/** The path of the program, or the name as it is when there is none: starting it then fails as it should. */
export function findProgram({ argv, env, cwd }: Program, root = '/'): string {
  const [name = ''] = argv;
  if (name.includes('/')) return path.resolve(cwd, name);
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  const files = folders.map((folder) => path.resolve(cwd, folder, name));
  return files.find((file) => isExecutable(path.join(root, file))) ?? name;
}

/** A program of ours on our own search path. Relative folders do not count, nor those that commands write to. */
export function findOwnProgram(name: string, untrusted: readonly AbsolutePath[]): AbsolutePath | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = folders.map((folder) => path.join(folder, name)).filter(isExecutable);
  const real = files.map((file) => absolutePath(fs.realpathSync(file)));
  return real.find((file) => !untrusted.some((folder) => isInside(folder, file)));
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
