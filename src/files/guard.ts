/** Who says what may be touched. It is told where things really are, and looks at nothing itself. */
import { FileProblem } from '../core/file-problem.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Anchoring, Identity, Whereabouts } from './anchor.js';

export interface Guard {
  /** Whether it is refused by its mere name, so that not even the names around it can be guessed. */
  hides(path: AbsolutePath): boolean;
  mayRead(found: Whereabouts): boolean;
  /** Whether a name in a folder may be made, replaced or removed; `existing` is what has that name now. */
  mayWrite(folder: Whereabouts, name: string, existing?: Identity): boolean;
  /** Whether a link may be followed to write what it leads to. */
  mayFollow(link: Whereabouts): boolean;
  /** Hears what was stopped. */
  stopped(kind: 'read' | 'write', target: AbsolutePath): void;
}

/** What the steps of one access share. */
export type Access = {
  readonly anchoring: Anchoring;
  /** Without one, nothing is asked, and nobody looks where things are. */
  readonly guard?: Guard | undefined;
};

/** Tells what was stopped and gives the problem to throw. `path` is as it was asked for. */
export function denied(guard: Guard, kind: 'read' | 'write', target: AbsolutePath, path: AbsolutePath): FileProblem {
  guard.stopped(kind, target);
  return new FileProblem('forbidden', path);
}
