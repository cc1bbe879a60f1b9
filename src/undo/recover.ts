/** Looks for changes that a process which is gone has left half made, and puts them right. */
import { stat } from 'node:fs/promises';
import path from 'node:path';

import { Fatal, messageOf } from '../core/errors.js';
import { absolutePath } from '../core/paths.js';
import { fateOf, ownMark, pidOf } from '../store/process-mark.js';
import { readHeader } from './entry-file.js';
import type { ListedEntry } from './entry-names.js';
import type { LogParts, Recovered } from './parts.js';
import { settleEntry } from './settle-entry.js';

/** Where it cannot be seen whether its process is there; a change takes seconds at most. */
const LONGEST_CHANGE_MS = 10 * 60_000;

export async function recover(parts: LogParts): Promise<void> {
  const entries = await parts.store.list().catch((error: unknown) => {
    throw new Fatal(`the record of changes cannot be read: ${messageOf(error)}`, { cause: error });
  });
  // The newest first, as one takes steps back.
  for (const entry of entries.filter(({ stage }) => stage === 'pending').toReversed()) {
    if (!(await isAbandoned(entry))) continue;
    const recovered = await recoverOne(parts, entry).catch((error: unknown) => {
      throw new Fatal(`a change that was cut short cannot be put right: ${messageOf(error)}`, { cause: error });
    });
    if (recovered) parts.emit?.({ type: 'changes.recovered', ...recovered });
  }
}

async function recoverOne(parts: LogParts, entry: ListedEntry): Promise<Recovered | undefined> {
  const taken = await parts.store.takeOver(entry);
  if (taken === undefined) return undefined;
  await removeLeftovers(parts, taken, entry.mark ?? '');
  return settleEntry(parts, taken);
}

async function isAbandoned({ file, mark = '' }: ListedEntry): Promise<boolean> {
  const fate = fateOf(mark);
  if (fate !== 'unknown') return fate === 'gone';
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > LONGEST_CHANGE_MS;
}

/** Of the process that made the change, and of one that was putting it right. */
async function removeLeftovers(parts: LogParts, { file }: ListedEntry, mark: string): Promise<void> {
  const header = await readHeader(file);
  if (header === undefined) return;
  const folders = new Set(header.files.map((each) => absolutePath(path.dirname(each.path))));
  const pids = new Set([header.by, mark].filter((each) => each !== ownMark()).map(pidOf));
  for (const folder of folders) {
    // The folder may be gone, or another's by now; what is left in it harms nobody.
    for (const pid of pids) await parts.removeLeftovers(folder, pid).catch(() => undefined);
  }
}
