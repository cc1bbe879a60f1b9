/** Work on names that are known beforehand: what they were is on record before it begins, what they are when it is done. */
import path from 'node:path';

import type { ChangeOwner } from '../core/change-log.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { capture } from './capture.js';
import type { Captured } from './capture.js';
import { keepContents } from './draft.js';
import type { DraftFiles } from './draft.js';
import { isSameContent, modeOf } from './entry.js';
import type { EntryHeader, StoredFile, StoredState } from './entry.js';
import { markUncovered } from './mark-uncovered.js';
import type { LogParts } from './parts.js';
import { begin } from './record-change.js';
import { nameFolders } from './real-names.js';
import { findState } from './states.js';
import { LONGEST_TOLD, tellOfChange } from './tell-of-change.js';
import type { StatePair } from './tell-of-change.js';
import { describeUncovered } from './uncovered.js';

export async function aroundPaths<Value>(
  parts: LogParts,
  { owner, paths }: { readonly owner: ChangeOwner; readonly paths: readonly AbsolutePath[] },
  work: () => Promise<Value>,
): Promise<Value> {
  const before = await capture(await withFoldersAbove(parts, paths), parts.limits, parts.limits.totalBytes);
  const kept = draftOf(before);
  const header = kept.files.length === 0 ? undefined : await begin(parts, { owner, ...kept });
  try {
    return await work();
  } finally {
    await finish(parts, { owner, header, before });
    parts.watch.note(before.map((each) => each.path));
  }
}

/** Folders that are not there may have to be made. */
async function withFoldersAbove(
  { files }: LogParts,
  paths: readonly AbsolutePath[],
): Promise<ReadonlySet<AbsolutePath>> {
  const [all, present] = [new Set<string>(), new Set<string>()];
  for (const name of paths.map(nameFolders())) {
    all.add(name);
    for (let folder = path.dirname(name); !all.has(folder) && !present.has(folder); folder = path.dirname(folder)) {
      const { state } = await findState(files, absolutePath(folder));
      if (state?.kind !== 'absent') {
        present.add(folder);
        break;
      }
      all.add(folder);
    }
  }
  return new Set([...all].map(absolutePath));
}

type Work = {
  readonly owner: ChangeOwner;
  /** Absent where nothing of it could be kept. */
  readonly header: EntryHeader | undefined;
  readonly before: readonly Captured[];
};

async function finish(parts: LogParts, { owner, header, before }: Work): Promise<void> {
  const { cwd, store, limits } = parts;
  const names = before.map((each) => each.path);
  // Beyond what is told, it is enough to know them again.
  const found = await capture(names, limits, LONGEST_TOLD);
  const after = new Map(found.map((each) => [each.path, each]));
  const changed = before.filter((each) => isChanged(each.stored, after.get(each.path)?.stored));
  const lost = changed.filter(({ state }) => state === undefined).map((each) => each.path);
  const uncovered = describeUncovered({ cwd, lost, unwatched: [] }, { isCutShort: false, limits });
  const { files: made, contents } = draftOf(changed, (name) => after.get(name)?.stored);
  if (header !== undefined && made.length > 0) {
    const whole = { ...header, files: made, ...(uncovered !== undefined && { uncovered }) };
    await store.settle(store.pendingOf(header), 'made', whole, contents);
    return tellOfChange(parts, whole, pairsOf(changed, after));
  }
  if (header !== undefined) await store.forget(store.pendingOf(header));
  if (uncovered !== undefined) await markUncovered(parts, owner, uncovered);
}

function isChanged(before: StoredState, after: StoredState | undefined): boolean {
  return after === undefined || !isSameContent(before, after) || modeOf(before) !== modeOf(after);
}

/** Of those whose content was kept. */
function draftOf(
  captured: readonly Captured[],
  afterOf: (path: AbsolutePath) => StoredState | undefined = () => undefined,
): DraftFiles {
  const states = new Map(captured.map(({ path: name, state }) => [name, state]));
  const files = captured.flatMap(({ path: name, stored, state }): readonly StoredFile[] => {
    const after = afterOf(name);
    return state === undefined ? [] : [{ path: name, before: stored, ...(after && { after }) }];
  });
  return keepContents(files, (file) => {
    const state = states.get(file.path);
    return state?.kind === 'file' ? state.content : undefined;
  });
}

/** None where some are too large to be told of. */
function pairsOf(
  changed: readonly Captured[],
  after: ReadonlyMap<AbsolutePath, Captured>,
): readonly StatePair[] | undefined {
  const pairs = changed.flatMap(({ path: name, state }) => {
    const now = after.get(name)?.state;
    return state === undefined || now === undefined ? [] : [{ path: name, before: state, after: now }];
  });
  return pairs.length === changed.length ? pairs : undefined;
}
