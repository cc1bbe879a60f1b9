/** Undoes what a set of changes has done so far, the last first, and tells what could not be put back. */
import { FileProblem, fileProblem } from '../../core/file-problem.js';
import { Moved } from '../anchor.js';
import { remove } from './change-set.js';
import type { ChangeSet, Step, Temporary } from './change-set.js';

type Done = Extract<Step, { kind: 'done' }>;

/** Throws: what went wrong, or that more went wrong now. */
export async function takeBack(set: ChangeSet, error: unknown): Promise<never> {
  const lost: Done[] = [];
  const originals = new Set<Temporary>();
  for (const step of set.steps.toReversed()) {
    if (step.kind === 'temporary') {
      if (!originals.has(step.temporary)) remove(step.temporary);
    } else if (!wasUndone(step)) {
      lost.push(step);
      if (step.original !== undefined) originals.add(step.original);
    }
  }
  const [first] = lost;
  if (first === undefined) throw error;
  const why = error instanceof Moved ? 'it is being moved' : fileProblem(error, first.path).message;
  const what = await Promise.all(lost.map(describe));
  throw new FileProblem('torn', first.path, `${why}; not put back: ${what.join(', ')}`, { cause: error });
}

function wasUndone({ undo }: Done): boolean {
  try {
    undo();
    return true;
  } catch {
    return false;
  }
}

async function describe({ path, original }: Done): Promise<string> {
  if (original === undefined) return path;
  const folder = await original.folder.anchor.name().catch(() => original.folder.anchor.path);
  return `${path} (its original is ${folder}/${original.name})`;
}
