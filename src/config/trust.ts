/**
 * Which folders the user has trusted: `trust.json` in the home folder, and the `projects` table of the user's own
 * `config.toml`, which has the last word. A folder is trusted by its own real path; what lies below it is not.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { literal, object, record, safeParse, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { ConfigError, messageOf } from '../core/errors.js';
import type { Config } from './config-schema.js';
import { realFolder, existingPath } from './project.js';

type Projects = Config['projects'];

export type TrustedFolder = {
  readonly folder: string;
  /** When it was trusted; absent when `config.toml` says so. */
  readonly since?: string;
};

const storeSchema = () => object({ version: literal(1), folders: record(string(), object({ since: string() })) });

type Folders = z.infer<ReturnType<typeof storeSchema>>['folders'];

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
      path.resolve(folder) === root || (level === 'untrusted' && existingPath(folder) === root),
  );
  if (said.some(([, { trust_level: level }]) => level === 'untrusted')) return 'untrusted';
  return said.length === 0 ? undefined : 'trusted';
}

/** Every folder that is trusted, sorted. */
export function trustedFolders(home: string, projects: Projects): readonly TrustedFolder[] {
  const stored = readStore(home);
  const named = Object.keys(projects ?? {})
    .map((folder) => path.resolve(folder))
    .filter((folder) => (existingPath(folder) ?? folder) === folder);
  return [...new Set([...Object.keys(stored), ...named])]
    .filter((folder) => (trustLevel(folder, projects) ?? 'trusted') === 'trusted')
    .toSorted()
    .map((folder) => {
      const since = stored[folder]?.since;
      return since === undefined ? { folder } : { folder, since };
    });
}

/** From now on the settings of the project with this root are used. */
export async function trustFolder(home: string, root: string): Promise<void> {
  const folder = realFolder(root);
  const since = new Date().toISOString();
  await changeStore(home, (folders) =>
    Object.hasOwn(folders, folder) ? undefined : { [folder]: { since }, ...folders },
  );
}

/** False when the store did not hold it. The folder itself may be gone. */
export async function revokeTrust(home: string, root: string): Promise<boolean> {
  const names = [path.resolve(root), existingPath(root)];
  return changeStore(home, (folders) => {
    const folder = names.find((each) => each !== undefined && Object.hasOwn(folders, each));
    if (folder === undefined) return undefined;
    const { [folder]: _, ...others } = folders;
    return others;
  });
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
  const parsed = safeParse(storeSchema(), store);
  if (parsed.success) return parsed.data.folders;
  throw brokenStore(file, 'it is not a list of trusted folders that this version knows', parsed.error);
}

function brokenStore(file: string, problem: string, cause: unknown): ConfigError {
  return new ConfigError(
    `${file} cannot be used: ${problem}. No folder is trusted; repair the file, or remove it and trust your folders again`,
    { cause },
  );
}

/** False when there is nothing to change, in which case nothing is made or written either. */
async function changeStore(home: string, change: (folders: Folders) => Folders | undefined): Promise<boolean> {
  if (change(readStore(home)) === undefined) return false;
  const file = storeIn(home);
  // Every command loads this file, and hardly one of them changes the store.
  const { withFileLock } = await import('../store/with-file-lock.js');
  const { replaceFile } = await import('../store/replace-file.js');
  try {
    return await withFileLock(file, async () => {
      const folders = change(readStore(home));
      if (folders === undefined) return false;
      await replaceFile(file, `${JSON.stringify({ version: 1, folders }, null, 2)}\n`);
      return true;
    });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${file} cannot be changed: ${messageOf(error)}`, { cause: error });
  }
}
