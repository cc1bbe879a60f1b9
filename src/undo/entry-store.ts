/**
 * The folder of a workspace's entries. An entry is written as a whole before its change is made, with the mark of its
 * process in its name, and gets its final name when the change is made: whatever still has a mark was not finished.
 */
import { renameSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ChangeOwner } from '../core/change-log.js';
import { makePrivateFolder } from '../store/private-folder.js';
import { ownMark } from '../store/process-mark.js';
import { writeNameThrough, writeThrough } from '../store/write-through.js';
import type { Draft, EntryHeader } from './entry.js';
import { entryBytes } from './entry-file.js';
import { byAge, entryIds, isMark, listedEntry, markName, nameOf } from './entry-names.js';
import type { EntryStage, ListedEntry } from './entry-names.js';

export interface EntryStore {
  /** Resolves when whoever comes next would find it. */
  begin(draft: Draft): Promise<Begun>;
  finish(header: EntryHeader): Promise<void>;
  /** For a change that has been made already. */
  add(draft: Draft): Promise<EntryHeader>;
  /** Says that nothing else is known of a call. The latest that has the same said of it takes the place of the others. */
  mark(owner: ChangeOwner, uncovered: string): Promise<void>;
  /** The files that say so, in no order. */
  marks(): Promise<readonly string[]>;
  forget(entry: ListedEntry): Promise<void>;
  /** Takes over what a process that is gone has begun; undefined when somebody else was faster. */
  takeOver(entry: ListedEntry): Promise<ListedEntry | undefined>;
  /** Writes an entry anew, under the name of another stage. */
  settle(entry: ListedEntry, stage: EntryStage, header: EntryHeader, contents: readonly Uint8Array[]): Promise<void>;
  /** The oldest first. */
  list(): Promise<readonly ListedEntry[]>;
  pendingOf(header: EntryHeader): ListedEntry;
}

export type Begun = {
  readonly header: EntryHeader;
  /** Resolves when not even a power cut can make it unwritten. */
  readonly safe: Promise<unknown>;
};

export type StoreOptions = {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function openEntryStore({ folder, now }: StoreOptions): EntryStore {
  const by = ownMark();
  const ids = entryIds(now);
  const fileOf = (id: string, stage: EntryStage): string => path.join(folder, nameOf(id, stage, by));
  const pending = (id: string): ListedEntry => ({ id, stage: 'pending', file: fileOf(id, 'pending'), mark: by });
  const nextHeader = (draft: Draft): EntryHeader => headerOf(draft, ids.next(), by, now());
  const put = async (name: string, header: EntryHeader, contents: readonly Uint8Array[]): Promise<void> => {
    const temporary = path.join(folder, `${header.id}.tmp`);
    await inFolder(folder, () => writeFile(temporary, entryBytes(header, contents), { flag: 'wx', mode: 0o600 }));
    await rename(temporary, path.join(folder, name));
  };
  return {
    pendingOf: ({ id }) => pending(id),
    async begin(draft) {
      const header = nextHeader(draft);
      const bytes = entryBytes(header, draft.contents);
      return inFolder(folder, async () => ({
        header,
        safe: writeNameThrough(fileOf(header.id, 'pending'), bytes),
      }));
    },
    // Right here, which takes less time than the way to another thread.
    finish: async ({ id }) => renameSync(fileOf(id, 'pending'), fileOf(id, 'made')),
    async add(draft) {
      const header = nextHeader(draft);
      await put(nameOf(header.id, 'made', by), header, draft.contents);
      return header;
    },
    async mark(owner, uncovered) {
      await put(markName(uncovered), nextHeader({ owner, files: [], contents: [], uncovered }), []);
    },
    marks: async () => (await namesIn(folder)).filter(isMark).map((name) => path.join(folder, name)),
    forget: ({ file }) => rm(file, { force: true }),
    async takeOver({ id, file }) {
      const isOurs = await rename(file, fileOf(id, 'pending')).then(() => true, onlyMissing);
      return isOurs ? pending(id) : undefined;
    },
    async settle(entry, stage, header, contents) {
      const temporary = `${fileOf(entry.id, stage)}.tmp`;
      await rm(temporary, { force: true });
      await writeThrough(temporary, entryBytes(header, contents));
      await rename(temporary, fileOf(entry.id, stage));
      await rm(entry.file, { force: true });
    },
    async list() {
      const entries = (await namesIn(folder)).flatMap((name) => listedEntry(folder, name)).toSorted(byAge);
      const latest = entries.at(-1);
      if (latest) ids.seen(latest.id);
      return entries;
    },
  };
}

const MOST_TRIES = 3;

/** Made when it turns out to be missing, and once more when somebody who prunes has removed it while it was empty. */
async function inFolder<Value>(folder: string, write: () => Promise<Value>): Promise<Value> {
  for (let left = MOST_TRIES; ; left--) {
    try {
      return await write();
    } catch (error) {
      if (left === 0) throw error;
      onlyMissing(error as NodeJS.ErrnoException);
      await makePrivateFolder(folder);
    }
  }
}

function headerOf({ owner, files, undoes, uncovered }: Draft, id: string, by: string, now: number): EntryHeader {
  return {
    v: 1,
    id,
    callId: owner.callId,
    turn: owner.turn,
    title: owner.title,
    at: new Date(now).toISOString(),
    by,
    files,
    ...(undoes && { undoes }),
    ...(uncovered !== undefined && { uncovered }),
  };
}

function onlyMissing(error: NodeJS.ErrnoException): false {
  if (error.code === 'ENOENT') return false;
  throw error;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
