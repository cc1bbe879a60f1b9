/**
 * What the ignore files of a folder and of those above it say to an entry. A nearer file goes before one further up, and
 * of the kinds of files the earlier goes before the later, as in ripgrep.
 */
import { Buffer } from 'node:buffer';
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { Files, ListedEntry } from '../core/files.js';
import { absolutePath, isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { readIgnoreFile, verdictOf } from './ignore-file.js';
import type { IgnoreFile } from './ignore-file.js';

export const REPOSITORY_NAME = '.git';

/** By rank. The last one is not in the tree. */
const FILE_NAMES = ['.rgignore', '.ignore', '.gitignore', `${REPOSITORY_NAME}/info/exclude`] as const;
const FIRST_OF_GIT = 2;
/** Longer files are no ignore files. */
const MOST_BYTES = 1024 * 1024;

export type IgnoreRules = {
  readonly folder: AbsolutePath;
  /** By rank; those that are not there are missing. */
  readonly files: readonly (IgnoreFile | undefined)[];
  /** A repository does not care for what git was told further up. */
  readonly isRepository: boolean;
  readonly above?: IgnoreRules | undefined;
};

/** Whether something in the folder of these rules, or below it, is ignored. */
export function isIgnored(rules: IgnoreRules | undefined, entry: AbsolutePath, isFolder: boolean): boolean {
  if (rules === undefined) return false;
  const name = path.basename(entry);
  for (let rank = 0; rank < FILE_NAMES.length; rank += 1) {
    for (let level: IgnoreRules | undefined = rules; level !== undefined; level = level.above) {
      const file = level.files[rank];
      const verdict = file && verdictOf(file, relativeTo(level.folder, entry), name, isFolder);
      if (verdict !== undefined) return verdict === 'ignore';
      if (rank >= FIRST_OF_GIT && level.isRepository) break;
    }
  }
  return false;
}

/** What is known of a folder before it is entered. */
export type Surroundings = {
  /** From the folders above it. Undefined when they have nothing to say. */
  readonly rules: IgnoreRules | undefined;
  /** Whether all of it belongs to repositories, each on its own. Otherwise git's files count without one. */
  readonly inRepository: boolean;
};

/** The same rules and those of one folder further down. `listed` is what is in it. */
export async function rulesBelow(
  { rules: above, inRepository }: Surroundings,
  folder: AbsolutePath,
  listed: readonly ListedEntry[],
  files: Files,
): Promise<IgnoreRules | undefined> {
  const names = new Set(listed.filter(({ name }) => name.startsWith('.')).map(({ name }) => name));
  const present = FILE_NAMES.map((name) => names.has(name.split('/')[0] as string));
  if (!present.includes(true)) return above;
  const read = await Promise.all(
    FILE_NAMES.map(async (name, rank) => (present[rank] ? readFrom(files, path.join(folder, name)) : undefined)),
  );
  return { folder, files: read, isRepository: inRepository && names.has(REPOSITORY_NAME), above };
}

/**
 * Up to the repository, or where there is none, the workspace. Somebody who asks for an ignored folder by its name wants
 * what is in it: then the rules above do not count.
 */
export async function surroundingsOf(
  folder: AbsolutePath,
  workspace: AbsolutePath,
  files: Files,
): Promise<Surroundings> {
  const parents = parentsOf(folder);
  const repository = await findRepository([folder, ...parents], files);
  const top = repository ?? (isInside(workspace, folder) ? workspace : folder);
  const inRepository = repository !== undefined;
  const none = { rules: undefined, inRepository: repository === folder };
  let rules: IgnoreRules | undefined;
  for (const parent of parents.filter((each) => isInside(top, each)).toReversed()) {
    if (isIgnored(rules, parent, true)) return none;
    rules = await rulesBelow({ rules, inRepository }, parent, await dotNamesIn(parent, files), files);
  }
  return rules === undefined || isIgnored(rules, folder, true) ? none : { rules, inRepository };
}

function relativeTo(folder: AbsolutePath, entry: AbsolutePath): string {
  const relative = entry.slice(folder.endsWith(path.sep) ? folder.length : folder.length + 1);
  return path.sep === '/' ? relative : relative.replaceAll(path.sep, '/');
}

/** The nearest first. */
function parentsOf(folder: AbsolutePath): readonly AbsolutePath[] {
  const parent = absolutePath(path.dirname(folder));
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

async function findRepository(folders: readonly AbsolutePath[], files: Files): Promise<AbsolutePath | undefined> {
  const found = await Promise.all(folders.map((folder) => exists(files, path.join(folder, REPOSITORY_NAME))));
  return folders[found.indexOf(true)];
}

/** A folder above may hold a million entries: its ignore files are looked for by name. */
async function dotNamesIn(folder: AbsolutePath, files: Files): Promise<readonly ListedEntry[]> {
  const names = [...FILE_NAMES.filter((name) => !name.includes('/')), REPOSITORY_NAME];
  const found = await Promise.all(names.map((name) => exists(files, path.join(folder, name))));
  return names.filter((_, index) => found[index]).map((name) => ({ name, kind: 'file' }));
}

async function exists(files: Files, file: string): Promise<boolean> {
  try {
    return (await files.look(absolutePath(file))) !== undefined;
  } catch (error) {
    if (error instanceof FileProblem) return false;
    throw error;
  }
}

/** One that cannot be read has nothing to say. */
async function readFrom(files: Files, file: string): Promise<IgnoreFile | undefined> {
  try {
    const opened = await files.open(absolutePath(file));
    try {
      const bytes = Buffer.alloc(Math.min(opened.size, MOST_BYTES));
      const read = await opened.read(bytes, 0);
      return readIgnoreFile(bytes.toString('utf8', 0, read));
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof FileProblem) return undefined;
    throw error;
  }
}
