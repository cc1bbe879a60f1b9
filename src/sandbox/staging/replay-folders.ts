/** The steps of a commit that make, remove and change folders and modes. */
import { chmod, chown, mkdir, rename, rmdir, stat, utimes } from 'node:fs/promises';

import { atEntry, inFolder, inParent } from './beneath.js';
import { factsOf, isSame } from './facts.js';
import type { Change } from '../../core/staging.js';
import { setAside } from './replay.js';
import type { Replay } from './replay.js';

/** Only its owner can enter a folder while it is being filled. */
const FRESH = 0o700;

export async function makeFolder(replay: Replay, change: Change): Promise<void> {
  const { lower } = replay;
  if (change.present !== undefined) await setAside(replay, change, rename);
  await inParent(lower, change.path, (at) => mkdir(at, { mode: FRESH }));
  replay.note(change.path, () => inParent(lower, change.path, (at) => rmdir(at)));
}

/** Fails if anything is in it that was not listed. */
export async function removeFolder(replay: Replay, { path }: Change): Promise<void> {
  const { lower } = replay;
  const before = await inFolder(lower, path, (at) => stat(at));
  await inParent(lower, path, (at) => rmdir(at));
  replay.note(path, async () => {
    await inParent(lower, path, (at) => mkdir(at, { mode: FRESH }));
    await inFolder(lower, path, async (at) => {
      const { uid, gid } = await stat(at);
      if (before.uid !== uid || before.gid !== gid) await chown(at, before.uid, before.gid);
      await chmod(at, before.mode & 0o7777);
    });
  });
}

/** A new folder gets its mode and times when everything is in it. */
export async function finishFolder(replay: Replay, change: Change): Promise<void> {
  const { lower, upper } = replay;
  const { atimeMs, mtimeMs } = await inFolder(upper, change.path, (at) => stat(at));
  await inFolder(lower, change.path, async (at) => {
    await utimes(at, atimeMs / 1000, mtimeMs / 1000);
    await chmod(at, change.staged?.mode ?? FRESH);
    replay.note(change.path, () => inFolder(lower, change.path, (again) => chmod(again, FRESH)));
  });
}

/** Of something that stays what it is. */
export async function changeMode(replay: Replay, { path, present, staged }: Change): Promise<void> {
  if (present === undefined || staged === undefined) return;
  const { lower } = replay;
  await atEntry(lower, path, async (at, handle) => {
    if (!isSame(present, factsOf(await handle.stat({ bigint: true })))) throw new Error('it has changed meanwhile');
    await chmod(at, staged.mode);
    replay.note(path, () => atEntry(lower, path, (again) => chmod(again, present.mode)));
  });
}
