/** A change at the place it is really about: the folder is held, and what has the name was compared with what was seen. */
import type { Stats } from 'node:fs';

import { fileProblem } from '../../core/file-problem.js';
import type { FileChange } from '../../core/files.js';
import type { AbsolutePath } from '../../core/paths.js';
import { Moved, identityOf, placeIn } from '../anchor.js';
import type { Whereabouts } from '../anchor.js';
import { denied } from '../guard.js';
import type { Access } from '../guard.js';
import type { Spot } from './held-folders.js';

export type Site = {
  readonly change: FileChange;
  readonly spot: Spot;
  readonly name: string;
  /** What has the name; nothing where nothing has. */
  readonly existing: Stats | undefined;
  /** It can only be begun once something else of the set has gone. */
  readonly late: boolean;
};

/** Where it is in a folder that was found; throws unless it may be written there. */
export function admit({ guard }: Access, { change, name, existing }: Site, folder: Whereabouts): void {
  if (guard === undefined || guard.mayWrite(folder, name, existing && identityOf(existing))) return;
  throw denied(guard, 'write', placeIn(folder, name).path, change.path);
}

/** What goes wrong in some work, told of the path that it is for. */
export async function blaming<T>(path: AbsolutePath, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toldOf(path, error);
  }
}

/** The same for work that awaits nothing. */
export function blamed(path: AbsolutePath, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw toldOf(path, error);
  }
}

function toldOf(path: AbsolutePath, error: unknown): unknown {
  return error instanceof Moved ? error : fileProblem(error, path);
}
