/**
 * Which folders the user has trusted: `trust.json` in the home folder, and the `projects` table of the user's own
 * `config.toml`, which has the last word. A folder is trusted by its own real path; what lies below it is not.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { literal, object, record, safeParse, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { ConfigError, messageOf } from '../core/errors.js';
import type { Config } from './config-schema.js';
import { realFolder, realPath } from './project.js';

type Projects = Config['projects'];

export type TrustedFolder = {
  readonly folder: string;
  /** When it was trusted; absent when `config.toml` says so. */
  readonly since?: string;
};

const storeSchema = object({ version: literal(1), folders: record(string(), object({ since: string() })) });

type Folders = z.infer<typeof storeSchema>['folders'];

/** Whether the settings of the project with this root may be used. Throws a `ConfigError` when the store is broken. */
export function isTrusted(home: string, root: string, projects: Projects): boolean {
  const stored = Object.hasOwn(readStore(home), root);
  const level = trustLevel(root, projects);
  return level === undefined ? stored : level === 'trusted';
}

/** What the `projects` table says of a folder. Only a no is heard through links, because one may be bent later. */
export function trustLevel(root: string, projects: Projects = {}): 'trusted' | 'untrusted' | undefined {
  const said = Object.entries(projects).filter(
    ([folder, { trust_level: level }]) =>
      path.resolve(folder) === root || (level === 'untrusted' && realPath(folder) === root),
  );
  if (said.some(([, { trust_level: level }]) => level === 'untrusted')) return 'untrusted';
  return said.length === 0 ? undefined : 'trusted';
}

/** Every folder that is trusted, sorted. */
export function trustedFolders(home: string, projects: Projects): readonly TrustedFolder[] {
  const stored = readStore(home);
  const named = Object.keys(projects ?? {})
    .map((folder) => path.resolve(folder))
    .filter((folder) => (realPath(folder) ?? folder) === folder);
  return [...new Set([...Object.keys(stored), ...named])]
    .filter((folder) => (trustLevel(folder, projects) ?? 'trusted') === 'trusted')
    .toSorted()
    .map((folder) => {
      const since = stored[folder]?.since;
      return since === undefined ? { folder } : { folder, since };
    });
}

/** From now on the settings of the project with this root are used. */
export function trustFolder(home: string, root: string): void {
  const folder = realFolder(root);
  changeStore(home, (folders) => ({ [folder]: { since: new Date().toISOString() }, ...folders }));
}

/** False when the store did not hold it. The folder itself may be gone. */
export function revokeTrust(home: string, root: string): boolean {
  const stored = readStore(home);
  const folder = [path.resolve(root), realPath(root)].find((each) => each !== undefined && Object.hasOwn(stored, each));
  if (folder === undefined) return false;
  changeStore(home, ({ [folder]: _, ...others }) => others);
  return true;
}

function storeIn(home: string): string {
  return path.join(home, 'trust.json');
}

function readStore(home: string): Folders {
  const file = storeIn(home);
  let store: unknown;
  try {
    store = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw brokenStore(file, messageOf(error), error);
  }
  const parsed = safeParse(storeSchema, store);
  if (parsed.success) return parsed.data.folders;
  throw brokenStore(file, 'it is not a list of trusted folders that this version knows', parsed.error);
}

function brokenStore(file: string, problem: string, cause: unknown): ConfigError {
  return new ConfigError(
    `${file} cannot be used: ${problem}. No folder is trusted; repair the file, or remove it and trust your folders again`,
    { cause },
  );
}

/** The new file is also the lock: only one program can make it, and putting it in place gives the lock back. */
function changeStore(home: string, change: (folders: Folders) => Folders): void {
  const file = storeIn(home);
  const fresh = `${file}.new`;
  const descriptor = create(home, fresh);
  try {
    writeFileSync(descriptor, `${JSON.stringify({ version: 1, folders: change(readStore(home)) }, null, 2)}\n`);
    fsyncSync(descriptor);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error instanceof ConfigError ? error : cannotWrite(file, error);
  } finally {
    closeSync(descriptor);
  }
}

const TRIES = 50;
const TRY_AGAIN_MS = 20;

/** Waits for another program that is writing, but not for one that was killed before it was done. */
function create(home: string, fresh: string): number {
  for (let left = TRIES; ; left -= 1) {
    try {
      if (!existsSync(home)) mkdirSync(home, { mode: 0o700 });
      return openSync(fresh, 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(fresh, error);
      if (left === 0) {
        const advice = 'another Tenon is writing it, or was killed while it did; if none is running, remove it';
        throw new ConfigError(`${fresh} is in the way: ${advice}`, { cause: error });
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MS);
  }
}

function cannotWrite(file: string, error: unknown): ConfigError {
  return new ConfigError(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
}
