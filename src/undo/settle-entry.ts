/** Puts right a change that was cut short: either it turns out that all of it was made, or what was made is put back. */
import { callId } from '../core/ids.js';
import { ABSENT } from '../core/files.js';
import type { FileChange, FileState } from '../core/files.js';
import { draftOf } from './draft.js';
import type { DraftFiles } from './draft.js';
import type { EntryHeader, StoredFile } from './entry.js';
import { readEntry } from './entry-file.js';
import type { WholeEntry } from './entry-file.js';
import type { ListedEntry } from './entry-names.js';
import { keepFullFolders } from './keep-full-folders.js';
import type { LogParts, Recovered } from './parts.js';
import { findState, isAsBefore, isAsLeft, restored } from './states.js';
import type { Found } from './states.js';

/** Undefined when nothing had been made. */
export async function settleEntry(parts: LogParts, pending: ListedEntry): Promise<Recovered | undefined> {
  const { store, files } = parts;
  const entry = await readEntry(pending.file);
  if (entry === undefined) {
    // It was not written to its end, so its change was not begun.
    await store.forget(pending);
    return undefined;
  }
  const seen: Seen[] = [];
  for (const file of entry.header.files) seen.push({ file, found: await findState(files, file.path) });
  if (seen.every(({ file, found }) => isAsBefore(file, found))) {
    await store.forget(pending);
    return undefined;
  }
  if (seen.every(({ file, found }) => isAsLeft(file, found))) return complete(parts, entry.header);
  return putBack(parts, pending, { entry, seen });
}

type Seen = { readonly file: StoredFile; readonly found: Found };

async function complete({ store }: LogParts, header: EntryHeader): Promise<Recovered> {
  await store.finish(header);
  return { id: header.id, result: 'completed', paths: header.files.map((file) => file.path) };
}

type Half = { readonly entry: WholeEntry; readonly seen: readonly Seen[] };

async function putBack(parts: LogParts, pending: ListedEntry, { entry, seen }: Half): Promise<Recovered> {
  const { store, files } = parts;
  const { header } = entry;
  const touched = seen.filter(({ file, found }) => !isAsBefore(file, found));
  const back = touched.flatMap((each) => wayBack(entry, each));
  const { changes, stuck } = await keepFullFolders(files, back);
  const draft = draftOf(changes);
  const isMade = await files.change(changes).then(
    () => true,
    () => false,
  );
  const others = touched.map(({ file }) => file.path).filter((path) => !back.some((change) => change.path === path));
  const left = isMade ? [...others, ...stuck] : touched.map(({ file }) => file.path);
  if (left.length === 0) await close(parts, pending, { entry, seen, draft });
  else await store.settle(pending, 'cut-short', { ...header, notPutBack: left }, contentsOf(entry));
  return left.length === 0
    ? { id: header.id, result: 'put-back', paths: changes.map((change) => change.path) }
    : { id: header.id, result: 'left', paths: left };
}

/**
 * Where it was not known what the change would come to, what was put back may have been somebody else's later work: it is
 * kept as a change that was undone.
 */
async function close(
  parts: LogParts,
  pending: ListedEntry,
  half: Half & { readonly draft: DraftFiles },
): Promise<void> {
  const { entry, seen, draft } = half;
  const { header } = entry;
  if (header.files.every(({ after }) => after !== undefined)) return parts.store.forget(pending);
  const files = seen.map(asFound);
  const owner = { callId: callId(header.callId), turn: header.turn, title: `put back: ${header.title}` };
  await parts.store.settle(pending, 'made', { ...header, files }, contentsOf(entry));
  await parts.store.add({ owner, ...draft, undoes: [header.id] });
}

function asFound({ file: { path, before }, found }: Seen): StoredFile {
  return { path, before, after: found.stored ?? before };
}

/** None where somebody else has changed it since. */
function wayBack({ contentOf }: WholeEntry, { file, found }: Seen): readonly FileChange[] {
  const after = restored(file.before, contentOf(file.before));
  if (found.state === undefined || after === undefined) return [];
  if (!isAsLeft(file, found) && !isBetween(file, found.state)) return [];
  return [{ path: file.path, before: found.state, after, puttingBack: true }];
}

/** What becomes of another kind is away for a moment. */
function isBetween({ before, after }: StoredFile, state: FileState): boolean {
  if (after === undefined) return true;
  return state.kind === ABSENT.kind && after.kind !== before.kind && after.kind !== 'absent';
}

function contentsOf({ header, contentOf }: WholeEntry): readonly Uint8Array[] {
  return header.files.flatMap(({ before }) => contentOf(before) ?? []);
}
