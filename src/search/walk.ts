/**
 * Goes through a folder and what is below it, in the order of the names, and leaves out what is ignored. Links are met,
 * never followed. While one folder is gone through, the next ones are already being read.
 */
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { EntryKind, Files, ListedEntry } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { REPOSITORY_NAME, isIgnored, rulesBelow } from './ignore-rules.js';
import type { Surroundings } from './ignore-rules.js';

/** Folders that are read ahead, at each level. */
const READ_AHEAD = 16;

export type WalkOptions = {
  readonly files: Files;
  readonly root: AbsolutePath;
  /** Undefined: nothing is ignored. */
  readonly surroundings: Surroundings | undefined;
  /** Whether the folders in which git keeps its own files are met. */
  readonly repositories: boolean;
  /** 1 is what is in the folder itself. */
  readonly maxDepth: number;
  /** So many entries are looked at, and no more. */
  readonly maxEntries: number;
  readonly signal: AbortSignal;
};

export type Met = {
  /** Relative to the root, with `/` between names. */
  readonly path: string;
  readonly name: string;
  readonly kind: EntryKind;
  /** 0 is in the root itself. */
  readonly depth: number;
};

export type WalkEnd = {
  /** Entries that were left out, where it was looked. */
  readonly ignored: number;
  /** Folders that could not be read. */
  readonly unreadable: number;
  /** Whether there were more entries than may be looked at. */
  readonly tooMany: boolean;
};

/** Ends early when `meet` says false. Throws a `FileProblem` when the root cannot be read. */
export async function walk(options: WalkOptions, meet: (met: Met) => boolean): Promise<WalkEnd> {
  const { files, root, maxDepth, signal } = options;
  const count = { looked: 0, ignored: 0, unreadable: 0, stopped: false };

  const list = async (folder: AbsolutePath): Promise<readonly ListedEntry[]> => {
    const listed: ListedEntry[] = [];
    for await (const portion of files.list(folder)) {
      signal.throwIfAborted();
      for (const entry of portion) listed.push(entry);
      count.looked += portion.length;
      if (count.stopped || count.looked > options.maxEntries) break;
    }
    return listed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };

  const keep = (entries: readonly ListedEntry[], folder: AbsolutePath, surroundings: Surroundings | undefined) => {
    const shown = options.repositories ? entries : entries.filter(({ name }) => name !== REPOSITORY_NAME);
    const rules = surroundings?.rules;
    if (rules === undefined) return shown;
    const kept = shown.filter(({ name, kind }) => !isIgnored(rules, join(folder, name), kind === 'folder'));
    count.ignored += shown.length - kept.length;
    return kept;
  };

  async function visit(folder: Folder, listed: readonly ListedEntry[]): Promise<void> {
    const { at, prefix, depth } = folder;
    const surroundings = folder.surroundings && {
      ...folder.surroundings,
      rules: await rulesBelow(folder.surroundings, at, listed, files),
    };
    const entries = keep(listed, at, surroundings);
    const inside = depth + 1 < maxDepth ? entries.filter(({ kind }) => kind === 'folder') : [];
    const next = readAhead(inside, ({ name }) => list(join(at, name)));
    for (const { name, kind } of entries) {
      count.stopped ||= !meet({ path: prefix + name, name, kind, depth }) || count.looked > options.maxEntries;
      if (count.stopped) return;
      if (kind !== 'folder' || depth + 1 >= maxDepth) continue;
      const below = await unlessUnreadable(next);
      if (below === undefined) count.unreadable += 1;
      else await visit({ at: join(at, name), prefix: `${prefix}${name}/`, depth: depth + 1, surroundings }, below);
      if (count.stopped) return;
    }
  }

  await visit({ at: root, prefix: '', depth: 0, surroundings: options.surroundings }, await list(root));
  signal.throwIfAborted();
  return { ignored: count.ignored, unreadable: count.unreadable, tooMany: count.looked > options.maxEntries };
}

type Folder = {
  readonly at: AbsolutePath;
  readonly prefix: string;
  readonly depth: number;
  readonly surroundings: Surroundings | undefined;
};

/** The results one after another, each begun some time before it is asked for. */
function readAhead<Item, Result>(
  items: readonly Item[],
  begin: (item: Item) => Promise<Result>,
): () => Promise<Result> {
  const begun: Promise<Result>[] = [];
  let at = 0;
  const fill = (): void => {
    while (at < items.length && begun.length < READ_AHEAD) {
      const result = begin(items[at] as Item);
      // Whoever stops early does not ask for it any more.
      result.catch(() => {});
      begun.push(result);
      at += 1;
    }
  };
  return () => {
    fill();
    return begun.shift() as Promise<Result>;
  };
}

async function unlessUnreadable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileProblem) return undefined;
    throw error;
  }
}

function join(folder: AbsolutePath, name: string): AbsolutePath {
  return (folder.endsWith(path.sep) ? folder + name : folder + path.sep + name) as AbsolutePath;
}
