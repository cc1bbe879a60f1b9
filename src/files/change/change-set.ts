/** What the steps of one set of changes share: the folders it holds, what it has done, and what it has to clear up. */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import type { AbsolutePath } from '../../core/paths.js';
import type { Access } from '../guard.js';
import { temporaryNames } from '../temporary-name.js';
import { holdFolders } from './held-folders.js';
import type { HeldFolder, HeldFolders } from './held-folders.js';

export type ChangeSet = Access & {
  readonly folders: HeldFolders;
  /** In the order they were made. */
  readonly steps: Step[];
  /** Folders whose names changed. */
  readonly touched: Set<HeldFolder>;
  /** Names of ours that have become the ones they were for. */
  readonly renamed: Set<Temporary>;
  /** A name that is free, and is cleared up when the set is made or taken back. */
  temporary(folder: HeldFolder): Temporary;
};

export type Step =
  | { readonly kind: 'temporary'; readonly temporary: Temporary }
  | {
      readonly kind: 'done';
      readonly path: AbsolutePath;
      /** Throws when it cannot be taken back. */
      readonly undo: () => void;
      /** What was there before, under a name of ours. */
      readonly original?: Temporary;
      /** That, as it was at the last look. */
      readonly kept?: Stats;
    };

export type Temporary = { readonly folder: HeldFolder; readonly name: string; readonly path: string };

export function openSet(access: Access): ChangeSet {
  const steps: Step[] = [];
  const nextName = temporaryNames();
  return {
    ...access,
    folders: holdFolders(access.anchoring),
    steps,
    touched: new Set(),
    renamed: new Set(),
    temporary(folder) {
      const name = nextName();
      const temporary = { folder, name, path: `${folder.anchor.path}/${name}` };
      steps.push({ kind: 'temporary', temporary });
      return temporary;
    },
  };
}

/** What cannot be removed stays: nothing hangs on it. */
export function clearUp({ steps, renamed }: ChangeSet): void {
  for (const step of steps) if (step.kind === 'temporary' && !renamed.has(step.temporary)) remove(step.temporary);
}

/** A folder only when it is empty. */
export function remove({ path }: Temporary): void {
  if (!succeeds(() => fs.unlinkSync(path))) succeeds(() => fs.rmdirSync(path));
}

/** Where it makes no difference why it does not. */
export function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
