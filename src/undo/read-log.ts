/** The latest entries of a log, and which of them have been taken back. */
import { sideBySide } from '../core/side-by-side.js';
import type { EntryHeader } from './entry.js';
import { readEntry, readHeader } from './entry-file.js';
import type { WholeEntry } from './entry-file.js';
import { byAge } from './entry-names.js';
import type { EntryStage } from './entry-names.js';
import type { EntryStore } from './entry-store.js';

const MOST_ENTRIES = 500;

export type LoggedEntry = {
  readonly header: EntryHeader;
  readonly stage: EntryStage;
  readonly undoneBy: string | undefined;
  read(): Promise<WholeEntry | undefined>;
};

/** The newest first. What says only that nothing is known of a call is in its place among them. */
export async function readLog(store: EntryStore): Promise<readonly LoggedEntry[]> {
  const listed = (await store.list()).filter(({ stage }) => stage !== 'pending').slice(-MOST_ENTRIES);
  const marks = (await store.marks()).map((file) => ({ file, stage: 'made' as const }));
  const headers = await sideBySide([...listed, ...marks], async ({ file, stage }) => {
    const header = await readHeader(file);
    return header === undefined ? [] : [{ id: header.id, header, file, stage }];
  });
  const found = headers.flat().toSorted(byAge);
  const undone = takenBack(found.map(({ header }) => header));
  return found.toReversed().map(({ header, file, stage }) => ({
    header,
    stage,
    undoneBy: undone.get(header.id),
    read: () => readEntry(file),
  }));
}

/** The newest is looked at first: an undo that was taken back itself has taken nothing back. */
function takenBack(headers: readonly EntryHeader[]): ReadonlyMap<string, string> {
  const by = new Map<string, string>();
  for (const { id, undoes = [] } of headers.toReversed()) {
    if (!by.has(id)) for (const undone of undoes) by.set(undone, id);
  }
  return by;
}

/** What calls did, as long as it stands. */
export function standing(log: readonly LoggedEntry[]): readonly LoggedEntry[] {
  return log.filter(
    ({ header, stage, undoneBy }) => header.undoes === undefined && stage === 'made' && undoneBy === undefined,
  );
}

/** The latest undo that stands; taking back an undo is no undo. */
export function latestUndo(log: readonly LoggedEntry[]): LoggedEntry | undefined {
  const undos = new Set(log.filter(({ header }) => header.undoes !== undefined).map(({ header }) => header.id));
  return log.find(
    ({ header, undoneBy }) =>
      undoneBy === undefined && header.undoes !== undefined && !header.undoes.some((id) => undos.has(id)),
  );
}
