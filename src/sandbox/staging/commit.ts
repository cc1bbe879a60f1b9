/**
 * Replays staged changes onto the real workspace: all of them or none. First everything is checked, then done in an
 * order in which each step finds its folder, and taken back if one of them fails.
 */
import { rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { messageOf } from '../../core/errors.js';
import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { openRoot } from './beneath.js';
import type { Change, CommitResult, Failure } from '../../core/staging.js';
import { checkChanges } from './check-changes.js';
import type { CommitPolicy } from './check-changes.js';
import { placeEntry } from './place-entry.js';
import { endReplay, setAside, startReplay } from './replay.js';
import type { Replay } from './replay.js';
import { changeMode, finishFolder, makeFolder, removeFolder } from './replay-folders.js';
import type { Stage } from './stage.js';

/** `changes` as `listChanges` gave them. The stage is left as it is. */
export async function commitStage(
  stage: Stage,
  changes: readonly Change[],
  policy: CommitPolicy,
): Promise<CommitResult> {
  const lower = await openRoot(stage.lower);
  try {
    const upper = await openRoot(stage.upper);
    try {
      const refused = await checkChanges({ stage, policy, lower, upper }, changes);
      if (refused.length > 0) return { kind: 'refused', refused };
      return changes.length === 0 ? { kind: 'committed', done: [] } : await replay(stage, changes, { lower, upper });
    } finally {
      await upper.close();
    }
  } finally {
    await lower.close();
  }
}

type Step = { readonly change: Change; readonly act: (replay: Replay, change: Change) => Promise<void> };

async function replay(
  stage: Stage,
  changes: readonly Change[],
  trees: { readonly lower: FileHandle; readonly upper: FileHandle },
): Promise<CommitResult> {
  let path = '.';
  let running: Replay | undefined;
  try {
    running = await startReplay(trees.lower, trees.upper);
    for (const step of stepsOf(changes)) {
      path = step.change.path;
      await step.act(running, step.change);
    }
  } catch (error) {
    const failed = { path, reason: messageOf(error) };
    return running === undefined ? { kind: 'rolled-back', failed } : await takeBack(stage, running, failed);
  }
  return { kind: 'committed', done: changes, ...(await leftoverOf(stage, running)) };
}

/** Folders are opened up first and closed last; what must make room goes first, everything else that goes, last. */
function stepsOf(changes: readonly Change[]): readonly Step[] {
  const sorted = changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const backwards = sorted.toReversed();
  const yielding = sorted.filter(givesWay).map(({ path }) => `${path}/`);
  const makesRoom = ({ path }: Change): boolean => yielding.some((folder) => path.startsWith(folder));
  const step = (act: Step['act']) => (change: Change) => ({ change, act });
  return [
    ...sorted.filter((change) => isFolderMode(change) && opensUp(change)).map(step(changeMode)),
    ...backwards.filter((change) => givesWay(change) || (isDeleted(change) && makesRoom(change))).map(step(remove)),
    ...sorted.filter(({ kind }) => kind === 'added' || kind === 'modified' || kind === 'replaced').map(step(place)),
    ...sorted.filter((change) => change.kind === 'mode-changed' && !isFolderMode(change)).map(step(changeMode)),
    ...backwards.filter((change) => isDeleted(change) && !makesRoom(change)).map(step(remove)),
    ...backwards.filter((change) => isNewFolder(change)).map(step(finishFolder)),
    ...backwards.filter((change) => isFolderMode(change) && !opensUp(change)).map(step(changeMode)),
  ];
}

async function remove(running: Replay, change: Change): Promise<void> {
  await (change.present?.entry === 'folder' ? removeFolder(running, change) : setAside(running, change, rename));
}

async function place(running: Replay, change: Change): Promise<void> {
  await (change.entry === 'folder' ? makeFolder(running, change) : placeEntry(running, change));
}

/** A folder in whose place something else comes. */
function givesWay({ kind, present }: Change): boolean {
  return kind === 'replaced' && present?.entry === 'folder';
}

function isDeleted({ kind }: Change): boolean {
  return kind === 'deleted';
}

function isNewFolder({ kind, entry }: Change): boolean {
  return entry === 'folder' && (kind === 'added' || kind === 'replaced');
}

function isFolderMode({ kind, entry }: Change): boolean {
  return entry === 'folder' && kind === 'mode-changed';
}

function opensUp({ staged }: Change): boolean {
  return staged !== undefined && (staged.mode & 0o300) === 0o300;
}

async function takeBack(stage: Stage, running: Replay, failed: Failure): Promise<CommitResult> {
  const notRestored = await running.rollBack();
  if (notRestored.length === 0) return { kind: 'rolled-back', failed, ...(await leftoverOf(stage, running)) };
  return { kind: 'broken', failed, notRestored, originals: asideOf(stage, running) };
}

async function leftoverOf(stage: Stage, running: Replay): Promise<{ readonly leftover?: AbsolutePath }> {
  return endReplay(running).then(
    () => ({}),
    () => ({ leftover: asideOf(stage, running) }),
  );
}

function asideOf({ lower }: Stage, { aside }: Replay): AbsolutePath {
  return absolutePath(`${lower}/${aside}`);
}
