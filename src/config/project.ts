/**
 * Which project a folder belongs to, and which settings it brings along. Only names are looked at here: nothing of a
 * project's is read before it is trusted.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ConfigError } from '../core/errors.js';

export type Project = {
  /** A real path: a link has no name of its own that could be trusted. */
  readonly root: string;
  /** The settings it brings along, named relative to the root and sorted. */
  readonly own: readonly string[];
};

const SETTINGS = '.tenon';

/**
 * The root is the nearest folder with a `.git`, else the nearest with settings, else `cwd` itself. The user's own
 * folder is a root only when it is `cwd`, and what lies in a `home` of Tenon (`~/.tenon` always is one) is the user's.
 */
export function findProject(cwd: string, home?: string): Project {
  const start = realFolder(cwd);
  const user = userFolder();
  const homes = new Set([home, user && path.join(user, SETTINGS)].map((each) => each && existingPath(each)));
  const hasSettings = (folder: string): boolean => {
    const settings = path.join(folder, SETTINGS);
    return isFolder(settings) && !homes.has(existingPath(settings));
  };
  const candidates = upwards(start, user);
  const root =
    candidates.find((folder) => existsSync(path.join(folder, '.git'))) ?? candidates.find(hasSettings) ?? start;
  return { root, own: hasSettings(root) ? settingsIn(root) : [] };
}

/** The real path of a folder that must be there. */
export function realFolder(folder: string): string {
  const real = existingPath(folder);
  if (real !== undefined && isFolder(real)) return real;
  throw new ConfigError(`${folder}: there is no such folder`);
}

/** Undefined when nothing is there, or nothing that can be reached. */
export function existingPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** In a container the user may have neither an account nor a home. */
function userFolder(): string | undefined {
  try {
    return existingPath(os.homedir());
  } catch {
    return undefined;
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** The folder and those above it, up to the user's own. */
function upwards(folder: string, user: string | undefined): readonly string[] {
  const above = path.dirname(folder);
  return above === folder || folder === user || above === user ? [folder] : [folder, ...upwards(above, user)];
}

function settingsIn(root: string): readonly string[] {
  return [
    ...list(root, SETTINGS, (name) => name === 'config.toml' || /^(hooks|mcp)/.test(name)),
    ...list(root, `${SETTINGS}/rules`, (name) => name.endsWith('.toml')),
  ].toSorted();
}

/** A folder that cannot be looked into stands for what may be in it. */
function list(root: string, folder: string, isSetting: (name: string) => boolean): readonly string[] {
  try {
    const names = readdirSync(path.join(root, folder));
    return names.filter(isSetting).map((name) => `${folder}/${name}`);
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? [] : [folder];
  }
}
