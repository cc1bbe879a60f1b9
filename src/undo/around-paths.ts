/** Work on names that are known beforehand: what they were is on record before it begins, what they are when it is done. */
import path from 'node:path';

import type { ChangeOwner } from '../core/change-log.js';
import type { FileState } from '../core/files.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { keepContents } from './draft.js';
import { isSameContent, modeOf } from './entry.js';
import type { EntryHeader, StoredFile, StoredState } from './entry.js';
import type { LogParts } from './parts.js';
import { begin } from './record-change.js';
import { realName } from './real-names.js';
import { findState } from './states.js';
import { tellOfChange } from './tell-of-change.js';

export async function aroundPaths<Value>(
  parts: LogParts,
  { owner, paths }: { readonly owner: ChangeOwner; readonly paths: readonly AbsolutePath[] },
  work: () => Promise<Value>,
): Promise<Value> {
  const before = await statesOf(parts, await withFoldersAbove(parts, paths));
  if (before.length === 0) return work();
  const header = await begin(parts, { owner, ...kept(before) });
  try {
    return await work();
  } finally {
    await finish(parts, header, before);
    parts.watch.note(before.map((each) => each.path));
  }
}

type State = { readonly path: AbsolutePath; readonly state: FileState; readonly stored: StoredState };

/** Folders that are not there may have to be made. */
async function withFoldersAbove(
  { files }: LogParts,
  paths: readonly AbsolutePath[],
): Promise<ReadonlySet<AbsolutePath>> {
  const all = new Set<AbsolutePath>();
  for (const name of paths.map(realName)) {
    all.add(name);
    for (let folder = path.dirname(name); !all.has(absolutePath(folder)); folder = path.dirname(folder)) {
      if ((await findState(files, absolutePath(folder))).state?.kind !== 'absent') break;
      all.add(absolutePath(folder));
    }
  }
  return all;
}

/** What cannot be read cannot be put back either: it is left out. */
async function statesOf({ files }: LogParts, paths: Iterable<AbsolutePath>): Promise<readonly State[]> {
  const states: State[] = [];
  for (const each of paths) {
    const { state, stored } = await findState(files, each);
    if (state !== undefined && stored !== undefined) states.push({ path: each, state, stored });
  }
  return states;
}

async function finish(parts: LogParts, header: EntryHeader, before: readonly State[]): Promise<void> {
  const pending = parts.store.pendingOf(header);
  const after = new Map(
    (
      await statesOf(
        parts,
        before.map((each) => each.path),
      )
    ).map((each) => [each.path, each]),
  );
  const changed = before.filter((each) => isChanged(each.stored, after.get(each.path)?.stored));
  if (changed.length === 0) return parts.store.forget(pending);
  const { files, contents } = kept(changed, (name) => after.get(name)?.stored);
  const made = { ...header, files };
  await parts.store.settle(pending, 'made', made, contents);
  const changes = changed.flatMap(({ path: name, state }) => {
    const now = after.get(name)?.state;
    return now === undefined ? [] : [{ path: name, before: state, after: now }];
  });
  tellOfChange(parts, made, changes);
}

function kept(
  states: readonly State[],
  afterOf: (path: AbsolutePath) => StoredState | undefined = () => undefined,
): ReturnType<typeof keepContents> {
  const contents = new Map(states.map(({ path: name, state }) => [name, state]));
  const files = states.map(({ path: name, stored }): StoredFile => {
    const after = afterOf(name);
    return { path: name, before: stored, ...(after && { after }) };
  });
  return keepContents(files, (file) => {
    const state = contents.get(file.path);
    return state?.kind === 'file' ? state.content : undefined;
  });
}

function isChanged(before: StoredState, after: StoredState | undefined): boolean {
  return after === undefined || !isSameContent(before, after) || modeOf(before) !== modeOf(after);
}
