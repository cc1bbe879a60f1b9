/** Files whose changes are on record before they are made. */
import type { ChangeOwner } from '../core/change-log.js';
import { changeOnceRecorded } from '../core/change-once-recorded.js';
import { Fatal, messageOf } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import type { FileChange, Files } from '../core/files.js';
import { filesWith } from '../core/files-with.js';
import { draftOf } from './draft.js';
import type { Draft, EntryHeader } from './entry.js';
import type { Begun } from './entry-store.js';
import { tellOfChange } from './tell-of-change.js';
import type { LogParts } from './parts.js';
import { atRealNames } from './real-names.js';
import { settleEntry } from './settle-entry.js';

export function recordingFiles(parts: LogParts, owner: ChangeOwner, files: Files): Files {
  return filesWith(files, {
    async change(changes) {
      await recordChange(parts, { owner }, { files, changes });
    },
  });
}

type Making = { readonly files: Files; readonly changes: readonly FileChange[] };

/** Resolves to the entry, if there was anything to change. */
export async function recordChange(
  parts: LogParts,
  about: Pick<Draft, 'owner' | 'undoes'>,
  { files, changes: asked }: Making,
): Promise<EntryHeader | undefined> {
  const changes = atRealNames(asked);
  const draft = { ...about, ...draftOf(changes) };
  if (draft.files.length === 0) {
    await files.change(changes);
    return undefined;
  }
  const { header, safe } = await write(parts, draft);
  try {
    await changeOnceRecorded(files, changes, safe);
  } catch (error) {
    // With the rights of whoever made the change, and no more.
    await takeBack({ ...parts, files }, header, error);
    // What is not on record was not made, whatever else went wrong.
    await safe;
    throw error;
  } finally {
    parts.watch.note(draft.files.map((file) => file.path));
  }
  await finish(parts, header);
  tellOfChange(parts, header, changes);
  return header;
}

/** Resolves when it is on record for good. */
export async function begin(parts: LogParts, draft: Draft): Promise<EntryHeader> {
  const { header, safe } = await write(parts, draft);
  await safe;
  return header;
}

async function write({ store, folder, recovered }: LogParts, draft: Draft): Promise<Begun> {
  try {
    await recovered();
    const { header, safe: written } = await store.begin(draft);
    return { header, safe: written.catch((error: unknown) => failUnrecorded(folder, error)) };
  } catch (error) {
    return failUnrecorded(folder, error);
  }
}

function failUnrecorded(folder: string, error: unknown): never {
  throw new Fatal(
    `the change could not be recorded, so it was not made: ${messageOf(error)}. ` +
      `Make ${folder} writable, or switch the record off (features.undo = false)`,
    { cause: error },
  );
}

/** An entry that keeps its first name is found by the next run, which sees that all was made. */
async function finish({ store }: LogParts, header: EntryHeader): Promise<void> {
  await store.finish(header).catch(() => undefined);
}

async function takeBack(parts: LogParts, header: EntryHeader, error: unknown): Promise<void> {
  const pending = parts.store.pendingOf(header);
  const isUnclear = !(error instanceof FileProblem) || error.kind === 'torn';
  // Whatever goes wrong here is the next run's to put right; what went wrong first is what matters.
  await (isUnclear ? settleEntry(parts, pending) : parts.store.forget(pending)).catch(() => undefined);
}
