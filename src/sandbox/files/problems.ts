/** What the system says about a file, in the words for a model. */
import { messageOf, ToolFailure } from '../../core/errors.js';
import { FileProblem } from '../../core/file-problem.js';
import type { FileProblemKind } from '../../core/file-problem.js';
import type { AbsolutePath } from '../../core/paths.js';

const KIND_BY_CODE: Readonly<Record<string, FileProblemKind>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EISDIR: 'folder',
  ENXIO: 'special',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'forbidden',
};

/** A problem that is one already stays as it is. */
export function problemFrom(error: unknown, path: AbsolutePath): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = codeOf(error);
  const kind = KIND_BY_CODE[code];
  return kind === undefined
    ? new FileProblem('broken', path, code === '' ? messageOf(error) : code, { cause: error })
    : new FileProblem(kind, path, undefined, { cause: error });
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
