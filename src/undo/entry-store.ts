/**
 * The folder of a workspace's entries. An entry is written as a whole before its change is made, with the mark of its
 * process in its name, and gets its final name when the change is made: whatever still has a mark was not finished.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { AbsolutePath } from '../core/paths.js';
import { makePrivateFolder } from '../store/private-folder.js';
import { ownMark } from '../store/process-mark.js';
import { syncFolder, writeThrough } from '../store/write-through.js';
import type { Draft, EntryHeader } from './entry.js';
import { entryBytes } from './entry-file.js';

/** `pending`: its change may be half made. `cut-short`: it was, and not all could be put back. */
export type EntryStage = 'pending' | 'made' | 'cut-short';

export type ListedEntry = {
  readonly id: string;
  readonly stage: EntryStage;
  readonly file: string;
  /** Whose it is while it is pending. */
  readonly mark?: string;
};

export interface EntryStore {
  /** Resolves when nothing can make it unwritten. */
  begin(draft: Draft): Promise<EntryHeader>;
  finish(header: EntryHeader): Promise<void>;
  /** For a change that has been made already. */
  add(draft: Draft): Promise<EntryHeader>;
  forget(entry: ListedEntry): Promise<void>;
  /** Takes over what a process that is gone has begun; undefined when somebody else was faster. */
  takeOver(entry: ListedEntry): Promise<ListedEntry | undefined>;
  /** Writes an entry anew, under the name of another stage. */
  settle(entry: ListedEntry, stage: EntryStage, header: EntryHeader, contents: readonly Uint8Array[]): Promise<void>;
  /** The oldest first. */
  list(): Promise<readonly ListedEntry[]>;
  pendingOf(header: EntryHeader): ListedEntry;
}

export type StoreOptions = {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function openEntryStore({ folder, now }: StoreOptions): EntryStore {
  const by = ownMark();
  const nextId = countIds(now);
  const fileOf = (id: string, stage: EntryStage): string => path.join(folder, nameOf(id, stage, by));
  const pendingOf = ({ id }: EntryHeader): ListedEntry => ({
    id,
    stage: 'pending',
    file: fileOf(id, 'pending'),
    mark: by,
  });
  return {
    pendingOf,
    async begin(draft) {
      await makePrivateFolder(folder);
      const header = headerOf(draft, nextId(), by, now());
      await writeThrough(fileOf(header.id, 'pending'), entryBytes(header, draft.contents));
      await syncFolder(folder);
      return header;
    },
    async finish({ id }) {
      await rename(fileOf(id, 'pending'), fileOf(id, 'made'));
    },
    async add(draft) {
      await makePrivateFolder(folder);
      const header = headerOf(draft, nextId(), by, now());
      const temporary = `${fileOf(header.id, 'made')}.tmp`;
      await writeFile(temporary, entryBytes(header, draft.contents), { flag: 'wx', mode: 0o600 });
      await rename(temporary, fileOf(header.id, 'made'));
      return header;
    },
    forget: ({ file }) => rm(file, { force: true }),
    async takeOver(entry) {
      const taken = fileOf(entry.id, 'pending');
      const isOurs = await rename(entry.file, taken).then(() => true, onlyMissing);
      return isOurs ? { id: entry.id, stage: 'pending', file: taken, mark: by } : undefined;
    },
    async settle(entry, stage, header, contents) {
      const temporary = `${fileOf(entry.id, stage)}.tmp`;
      await rm(temporary, { force: true });
      await writeThrough(temporary, entryBytes(header, contents));
      await rename(temporary, fileOf(entry.id, stage));
      await rm(entry.file, { force: true });
    },
    async list() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return names.flatMap((name) => listed(folder, name)).toSorted(byAge);
    },
  };
}

/** Readable, and another one for each folder. */
export function workspaceKey(cwd: AbsolutePath): string {
  const tail = path
    .basename(cwd)
    .replace(/[^\w.-]/g, '_')
    .slice(-40);
  return `${tail === '' ? 'root' : tail}-${createHash('sha256').update(cwd).digest('hex').slice(0, 12)}`;
}

/** Their order is that of time, also where the clock is set back while we run. */
function countIds(now: () => number): () => string {
  // Several logs of one workspace may be open, in one process or in several.
  const tag = randomBytes(3).toString('hex');
  let [latest, count] = [0, 0];
  return () => {
    const time = Math.max(latest, now());
    count = time === latest ? count + 1 : 0;
    latest = time;
    return `${time.toString(36)}-${tag}-${count}`;
  };
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

const ENDINGS: Readonly<Record<string, EntryStage>> = { change: 'made', conflict: 'cut-short' };
const NAME = /^(?<id>[0-9a-z]+-[0-9a-f]+-\d+)(?:@(?<mark>.+)\.pending|\.(?<ending>change|conflict))$/;

function nameOf(id: string, stage: EntryStage, mark: string): string {
  if (stage === 'pending') return `${id}@${mark}.pending`;
  return `${id}.${stage === 'made' ? 'change' : 'conflict'}`;
}

function listed(folder: string, name: string): readonly ListedEntry[] {
  const { id, mark, ending = '' } = NAME.exec(name)?.groups ?? {};
  if (id === undefined) return [];
  const file = path.join(folder, name);
  return [{ id, stage: ENDINGS[ending] ?? 'pending', file, ...(mark !== undefined && { mark }) }];
}

function byAge(one: ListedEntry, other: ListedEntry): number {
  const [first, second] = [placeOf(one.id), placeOf(other.id)];
  return (
    first.time - second.time ||
    (first.tag < second.tag ? -1 : Number(first.tag > second.tag)) ||
    first.count - second.count
  );
}

function placeOf(id: string): { readonly time: number; readonly tag: string; readonly count: number } {
  const [time = '', tag = '', count = ''] = id.split('-');
  return { time: Number.parseInt(time, 36), tag, count: Number(count) };
}

function onlyMissing(error: NodeJS.ErrnoException): false {
  if (error.code === 'ENOENT') return false;
  throw error;
}
