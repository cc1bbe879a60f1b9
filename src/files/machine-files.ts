/**
 * The files of this machine as far as a guard lets them be touched. A place is opened first, then asked where it is, and
 * only then used, through what was opened. A name is never trusted twice.
 */
import { setTimeout } from 'node:timers/promises';

import { FileProblem, fileProblem } from '../core/file-problem.js';
import type { FileChange, Files } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { Moved } from './anchor.js';
import type { Anchoring } from './anchor.js';
import { denied } from './guard.js';
import type { Access, Guard } from './guard.js';
import { listFolder } from './list-folder.js';
import { lookAt } from './look-at.js';
import { openFile } from './open-file.js';

/** Enough for a file that is being saved while it is read; somebody who never stops is not waited for. */
const ATTEMPTS = 20;

export type MachineFilesOptions = {
  readonly anchoring: Anchoring;
  /** Asked anew for each access to some paths. Without it, everything may be touched that the system lets us touch. */
  readonly guard?: (paths: readonly AbsolutePath[]) => Promise<Guard>;
};

export function machineFiles({ anchoring, guard }: MachineFilesOptions): Files {
  const enter = async (kind: 'read' | 'write', paths: readonly AbsolutePath[]): Promise<Access> => {
    const access = { anchoring, guard: await guard?.(paths) };
    for (const path of paths) if (access.guard?.hides(path)) throw denied(access.guard, kind, path, path);
    return access;
  };
  const make = async (changes: readonly FileChange[], recorded: Promise<unknown>): Promise<void> => {
    const paths = changes.map((each) => each.path);
    const [first] = paths;
    if (first === undefined) return;
    mustDiffer(paths);
    const { changeFiles } = await import('./change/change-files.js');
    await untilStill(first, async () => changeFiles(await enter('write', paths), changes, recorded));
  };
  return {
    open: (path) => untilStill(path, async () => openFile(await enter('read', [path]), path)),
    look: (path) => untilStill(path, async () => lookAt(await enter('read', [path]), path)),
    async *list(path) {
      const folder = await untilStill(path, async () => listFolder(await enter('read', [path]), path));
      yield* folder.portions();
    },
    change: Object.assign((changes: readonly FileChange[]) => make(changes, Promise.resolve()), {
      onceRecorded: make,
    }),
  };
}

function mustDiffer(paths: readonly AbsolutePath[]): void {
  const known = new Set<string>();
  for (const path of paths) {
    if (known.has(path)) throw new TypeError(`a set of changes has two for one path: ${path}`);
    known.add(path);
  }
}

async function untilStill<T>(path: AbsolutePath, attempt: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Moved)) throw fileProblem(error, path);
      if (left === 0) throw new FileProblem('broken', path, 'it is being moved', { cause: error });
      await setTimeout(1);
    }
  }
}
