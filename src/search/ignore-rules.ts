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
import { createEffort } from './effort.js';
import type { Effort } from './effort.js';
import { readIgnoreFile, verdictOf } from './ignore-file.js';
import type { IgnoreFile } from './ignore-file.js';

export const REPOSITORY_NAME = '.git';

/** By rank. The last one is not in the tree. */
const FILE_NAMES = ['.rgignore', '.ignore', '.gitignore', `${REPOSITORY_NAME}/info/exclude`] as const;
const FIRST_OF_GIT = 2;
/** What a longer file has behind that is not used. */
const MOST_BYTES = 1024 * 1024;
/** Of all files that are in force at one place. */
const MOST_SIZE = 4 * 1024 * 1024;
/** What one file takes before its first rule is looked at. */
const STEPS_A_FILE = 10;

export type IgnoreRules = {
  readonly folder: AbsolutePath;
  /** By rank; those that are not there are missing. */
  readonly files: readonly (IgnoreFile | undefined)[];
  /** A repository does not care for what git was told further up. */
  readonly isRepository: boolean;
  /** What all of them take of the memory, those above too. */
  readonly size: number;
  /** False when there are rules, here or above, that are not used. */
  readonly whole: boolean;
  readonly above?: IgnoreRules | undefined;
};

/** Whether something in the folder of these rules, or below it, is ignored. It is not when the effort is spent. */
export function isIgnored(
  rules: IgnoreRules | undefined,
  entry: AbsolutePath,
  isFolder: boolean,
  effort: Effort,
): boolean {
  if (rules === undefined) return false;
  const name = path.basename(entry);
  for (let rank = 0; rank < FILE_NAMES.length; rank += 1) {
    for (let level: IgnoreRules | undefined = rules; level !== undefined; level = level.above) {
      const file = level.files[rank];
      effort.left -= STEPS_A_FILE;
      const verdict = file && verdictOf(file, { path: relativeTo(level.folder, entry), name, isFolder }, effort);
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

export type RuleSource = { readonly files: Files; readonly effort: Effort };

/** The same rules and those of one folder further down. `listed` is what is in it. */
export async function rulesBelow(
  { rules: above, inRepository }: Surroundings,
  folder: AbsolutePath,
  listed: readonly ListedEntry[],
  { files, effort }: RuleSource,
): Promise<IgnoreRules | undefined> {
  const names = new Set(listed.filter(({ name }) => name.startsWith('.')).map(({ name }) => name));
  const present = FILE_NAMES.map((name) => names.has(name.split('/')[0] as string));
  if (!present.includes(true)) return above;
  const texts = await Promise.all(
    FILE_NAMES.map(async (name, rank) => (present[rank] ? readFrom(files, path.join(folder, name)) : undefined)),
  );
  const isRepository = inRepository && names.has(REPOSITORY_NAME);
  return { folder, isRepository, above, ...rulesOf(texts, above, effort) };
}

/**
 * Up to the workspace, or to the repository that it is in. Somebody who asks for an ignored folder by its name wants
 * what is in it: then the rules above do not count.
 */
export async function surroundingsOf(
  folder: AbsolutePath,
  workspace: AbsolutePath,
  files: Files,
): Promise<Surroundings> {
  const parents = parentsOf(folder);
  const repository = await findRepository([folder, ...parents], files);
  const inner = repository ?? folder;
  const top = isInside(workspace, inner) ? workspace : inner;
  const inRepository = repository !== undefined;
  const none = { rules: undefined, inRepository: repository === folder };
  const source = { files, effort: createEffort() };
  let rules: IgnoreRules | undefined;
  for (const parent of parents.filter((each) => isInside(top, each)).toReversed()) {
    if (isIgnored(rules, parent, true, source.effort)) return none;
    rules = await rulesBelow({ rules, inRepository }, parent, await dotNamesIn(parent, files), source);
  }
  return rules === undefined || isIgnored(rules, folder, true, source.effort) ? none : { rules, inRepository };
}

function relativeTo(folder: AbsolutePath, entry: AbsolutePath): string {
  const relative = entry.slice(folder.endsWith(path.sep) ? folder.length : folder.length + 1);
  return path.sep === '/' ? relative : relative.replaceAll(path.sep, '/');
}

/** One after another, so that it does not depend on who comes first which of them is too much. */
function rulesOf(
  texts: readonly (IgnoreText | undefined)[],
  above: IgnoreRules | undefined,
  effort: Effort,
): Pick<IgnoreRules, 'files' | 'size' | 'whole'> {
  let size = above?.size ?? 0;
  let whole = above?.whole ?? true;
  const files = texts.map((each) => {
    if (each === undefined) return undefined;
    const file = readIgnoreFile(each.text, effort);
    const fits = size + file.size <= MOST_SIZE;
    whole &&= each.whole && file.whole && fits;
    if (!fits) return undefined;
    size += file.size;
    return file;
  });
  return { files, size, whole };
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

type IgnoreText = { readonly text: string; readonly whole: boolean };

/** One that cannot be read has nothing to say. */
async function readFrom(files: Files, file: string): Promise<IgnoreText | undefined> {
  try {
    const opened = await files.open(absolutePath(file));
    try {
      const bytes = Buffer.alloc(Math.min(opened.size, MOST_BYTES));
      const text = bytes.toString('utf8', 0, await opened.read(bytes, 0));
      const whole = opened.size <= MOST_BYTES;
      // Half a rule would be another one.
      return { text: whole ? text : text.slice(0, text.lastIndexOf('\n') + 1), whole };
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof FileProblem) return undefined;
    throw error;
  }
}
