/**
 * Goes through a folder and what is below it, in the order of the names, and leaves out what is ignored. Links are met,
 * never followed. While one folder is gone through, the next ones are already being read. Where the ignore files take too
 * much effort, it goes on without them: something too much is shown, and nothing is missed.
 */
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { EntryKind, Files, ListedEntry } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { addEntry, createEffort, isSpent } from './effort.js';
import { REPOSITORY_NAME, isIgnored, rulesBelow } from './ignore-rules.js';
import type { IgnoreRules, Surroundings } from './ignore-rules.js';

/** Folders that are read ahead, at each level. */
const READ_AHEAD = 16;
/** After so long others have their turn. */
const TURN_MS = 10;

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
  /** Whether there are ignore rules that were not used, because they are too many or take too long. */
  readonly rulesLeft: boolean;
};

/** Ends early when `meet` says false. Throws a `FileProblem` when the root cannot be read. */
export async function walk(options: WalkOptions, meet: (met: Met) => boolean): Promise<WalkEnd> {
  const { files, root, maxDepth, signal } = options;
  const count = { looked: 0, ignored: 0, unreadable: 0, stopped: false, rulesLeft: false };
  const source = { files, effort: createEffort() };
  const pace = createPace(signal);

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

  const isKept = ({ name, kind }: ListedEntry, folder: AbsolutePath, rules: IgnoreRules): boolean => {
    addEntry(source.effort);
    return !isIgnored(rules, join(folder, name), kind === 'folder', source.effort);
  };

  const keep = async (entries: readonly ListedEntry[], folder: AbsolutePath, rules: IgnoreRules | undefined) => {
    const shown = options.repositories ? entries : entries.filter(({ name }) => name !== REPOSITORY_NAME);
    if (rules === undefined) return shown;
    count.rulesLeft ||= !rules.whole;
    const kept: ListedEntry[] = [];
    for (const entry of shown) {
      const turn = pace();
      if (turn !== undefined) await turn;
      if (isSpent(source.effort) || isKept(entry, folder, rules)) kept.push(entry);
    }
    count.ignored += shown.length - kept.length;
    return kept;
  };

  async function visit(folder: Folder, listed: readonly ListedEntry[]): Promise<void> {
    const { at, prefix, depth } = folder;
    const above = isSpent(source.effort) ? undefined : folder.surroundings;
    const surroundings = above && { ...above, rules: await rulesBelow(above, at, listed, source) };
    const entries = await keep(listed, at, surroundings?.rules);
    const inside = depth + 1 < maxDepth ? entries.filter(({ kind }) => kind === 'folder') : [];
    const next = readAhead(inside, ({ name }) => list(join(at, name)));
    for (const { name, kind } of entries) {
      const turn = pace();
      if (turn !== undefined) await turn;
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
  return {
    ignored: count.ignored,
    unreadable: count.unreadable,
    tooMany: count.looked > options.maxEntries,
    rulesLeft: count.rulesLeft || isSpent(source.effort),
  };
}

type Folder = {
  readonly at: AbsolutePath;
  readonly prefix: string;
  readonly depth: number;
  readonly surroundings: Surroundings | undefined;
};

/** Says whether to wait now, so that others have their turn; then it can be given up. */
function createPace(signal: AbortSignal): () => Promise<void> | undefined {
  let began = performance.now();
  const othersTurn = async (): Promise<void> => {
    await new Promise((resolve) => void setImmediate(resolve));
    signal.throwIfAborted();
    began = performance.now();
  };
  return () => (performance.now() - began < TURN_MS ? undefined : othersTurn());
}

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
