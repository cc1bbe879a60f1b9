/** A file that has to be there, or the error in the words that models know. */
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import type { FileProblemKind } from '../core/file-problem.js';
import type { FileNow, TreeFile } from './file-tree.js';
import { PatchError } from './patch-error.js';

const MISSING = 'No such file or directory (os error 2)';

const KNOWN: Readonly<Partial<Record<FileProblemKind, string>>> = {
  missing: MISSING,
  folder: 'Is a directory (os error 21)',
  forbidden: 'Permission denied (os error 13)',
};

/** `failed` is how the sentence begins, such as "Failed to read". */
export function readableFile({ path, found, now }: TreeFile, failed: string): FileNow {
  if (now !== undefined) return now;
  if (found.kind === 'read') throw new PatchError(`${failed} ${path}: ${MISSING}`);
  if (!(found.error instanceof ToolFailure)) throw found.error;
  throw new PatchError(`${failed} ${path}: ${reason(found.error)}`, 'verification', { cause: found.error });
}

function reason(error: ToolFailure): string {
  return error instanceof FileProblem ? (KNOWN[error.kind] ?? error.words) : error.message;
}
