/**
 * The folders of one copy-on-write view: what a command changes lands in `upper`, the workspace below stays as it is.
 * They lie in a private folder, together with a mark whose time says when the view began.
 */
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rmdir,
  statfs,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';

export type Stage = {
  /** The real workspace, without links in its path. */
  readonly lower: AbsolutePath;
  readonly upper: AbsolutePath;
  readonly work: AbsolutePath;
};

const OVERLAY = 0x794c7630;
const MARK = 'made';

/** Makes the folders inside of `base`, which must exist outside of the workspace and not on an overlay. */
export async function createStage(lower: AbsolutePath, base: AbsolutePath): Promise<Stage> {
  const [workspace, place] = [absolutePath(await realpath(lower)), absolutePath(await realpath(base))];
  await mustHoldStage(place, workspace);
  const folder = await mkdtemp(path.join(place, 'stage-'));
  const stage = { lower: workspace, upper: absolutePath(`${folder}/upper`), work: absolutePath(`${folder}/work`) };
  await mkdir(stage.work, { mode: 0o700 });
  await mkdir(stage.upper, { mode: 0o700 });
  // The view's own root has the mode of this folder.
  await chmod(stage.upper, (await lstat(workspace)).mode & 0o7777);
  await leaveMark(path.join(folder, MARK));
  return stage;
}

/** From this time on, in nanoseconds, a change to the workspace is not one that the command could have seen. */
export async function stageBegan(stage: Stage): Promise<bigint> {
  return changeTime(path.join(folderOf(stage), MARK));
}

/** Removes everything, whatever modes a command gave it. A stage that is gone already is fine. */
export async function dropStage(stage: Stage): Promise<void> {
  const folder = folderOf(stage);
  const mark = path.join(folder, MARK);
  try {
    await lstat(mark);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (await isMissing(folder)) return;
    throw new Error(`${folder} was not made by createStage, so it is not removed`, { cause: error });
  }
  await removeFlat(folder);
}

async function mustHoldStage(base: AbsolutePath, workspace: AbsolutePath): Promise<void> {
  if (isInside(workspace, base)) {
    throw new ConfigError(
      `changes cannot be staged in ${base}: it lies inside of the workspace; choose another folder`,
    );
  }
  if ((await statfs(base)).type === OVERLAY) {
    throw new ConfigError(
      `changes cannot be staged in ${base}: it is on an overlay file system itself; choose a folder on a volume or a tmpfs`,
    );
  }
}

/** What was changed before now has an earlier time than the mark, even where the clock of the file system is coarse. */
async function leaveMark(mark: string): Promise<void> {
  await writeFile(mark, '', { flag: 'wx', mode: 0o600 });
  const first = await changeTime(mark);
  do await utimes(mark, 0, 0);
  while ((await changeTime(mark)) === first);
}

async function changeTime(file: string): Promise<bigint> {
  return (await lstat(file, { bigint: true })).ctimeNs;
}

/** Each folder is brought to the top before it is emptied, so that no depth can make a path too long. */
async function removeFlat(top: string): Promise<void> {
  const folders: string[] = [];
  const empty = async (folder: string): Promise<void> => {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      const entry = Buffer.concat([Buffer.from(`${folder}/`), name]);
      const isMark = folder === top && name.toString() === MARK;
      if (!(await lstat(entry)).isDirectory()) {
        if (!isMark) await unlink(entry);
        continue;
      }
      await chmod(entry, 0o700);
      // It takes the place of an empty folder whose name is surely free.
      const moved = await mkdtemp(path.join(top, 'drop-'));
      await rename(entry, moved);
      folders.push(moved);
    }
  };
  await empty(top);
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await empty(folder);
    await rmdir(folder);
  }
  await unlink(path.join(top, MARK));
  await rmdir(top);
}

async function isMissing(folder: string): Promise<boolean> {
  return lstat(folder).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

function folderOf(stage: Stage): string {
  return path.dirname(stage.upper);
}
