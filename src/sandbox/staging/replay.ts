/** What the steps of one commit share: the two trees, where originals are kept, and how to take back what is done. */
import { lstat, readdir, rename, rmdir, unlink, mkdtemp } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { messageOf } from '../../core/errors.js';
import { inFolder, inParent } from './beneath.js';
import { factsOf } from './facts.js';
import type { Change, Failure } from '../../core/staging.js';

export type Replay = {
  readonly lower: FileHandle;
  readonly upper: FileHandle;
  /** The name of the folder in the workspace where originals are kept until all is done. */
  readonly aside: string;
  /** A name that nothing has yet. */
  freshName(): string;
  /** Notes how to take back a step. */
  note(path: string, undo: () => Promise<void>): void;
  /** Takes everything back, the last step first, and tells what it could not. */
  rollBack(): Promise<readonly Failure[]>;
};

export async function startReplay(lower: FileHandle, upper: FileHandle): Promise<Replay> {
  const aside = path.basename(await inFolder(lower, '.', (at) => mkdtemp(`${at}/.tenon-aside-`)));
  const steps: { readonly path: string; readonly undo: () => Promise<void> }[] = [];
  let names = 0;
  return {
    lower,
    upper,
    aside,
    freshName: () => `${aside}.${names++}`,
    note: (file, undo) => void steps.push({ path: file, undo }),
    async rollBack() {
      const failures: Failure[] = [];
      for (const step of steps.toReversed()) {
        await step.undo().catch((error: unknown) => failures.push({ path: step.path, reason: messageOf(error) }));
      }
      return failures;
    },
  };
}

/** Forgets the originals. */
export async function endReplay({ lower, aside }: Replay): Promise<void> {
  await inFolder(lower, aside, async (at) => {
    for (const name of await readdir(at)) await unlink(`${at}/${name}`);
  });
  await inParent(lower, aside, (at) => rmdir(at));
}

type Move = (from: string, to: string) => Promise<void>;

/** Brings what is in the workspace to where it is kept, and makes sure that it is what was listed. */
export async function setAside(replay: Replay, { path: file, present }: Change, move: Move): Promise<void> {
  const { lower, aside } = replay;
  const kept = `${aside}/${replay.freshName()}`;
  await between(lower, { from: file, to: kept }, move);
  replay.note(file, () => between(lower, { from: kept, to: file }, rename));
  const { entry, identity } = factsOf(await inParent(lower, kept, (at) => lstat(at, { bigint: true })));
  if (entry !== present?.entry || identity !== present.identity) throw new Error('it has changed meanwhile');
}

/** Acts on two names at once, each below its own folder's descriptor. */
export async function between(
  root: FileHandle,
  { from, to }: { readonly from: string; readonly to: string },
  move: Move,
): Promise<void> {
  await inParent(root, from, (source) => inParent(root, to, (target) => move(source, target)));
}
