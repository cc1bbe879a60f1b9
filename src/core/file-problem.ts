/** One set of words for everything that can be wrong with a path, whichever tool or workspace found it. */
import { ToolFailure, messageOf } from './errors.js';

export type FileProblemKind =
  | 'missing'
  | 'folder'
  | 'not-folder'
  | 'special'
  | 'forbidden'
  | 'changed'
  | 'in-the-way'
  | 'full'
  | 'too-large'
  | 'torn'
  | 'broken';

const WORDS: Record<FileProblemKind, string> = {
  missing: 'no such file',
  folder: 'it is a folder, not a file',
  special: 'it is not a regular file (a device, pipe or socket)',
  forbidden: 'permission denied',
  'not-folder': 'it is not a folder',
  changed: 'somebody else has changed it meanwhile; nothing was written, read it again',
  'in-the-way': 'something else has this name already',
  full: 'there is no space left on the disk',
  'too-large': 'it is too large for the tools',
  torn: 'of several changes only some could be taken back',
  broken: 'it cannot be used',
};

export class FileProblem extends ToolFailure {
  override readonly name = 'FileProblem';
  readonly kind: FileProblemKind;
  /** The message without the path, for a sentence that has named it. */
  readonly words: string;

  constructor(kind: FileProblemKind, path: string, detail?: string, options?: ErrorOptions) {
    const words = WORDS[kind] + (detail === undefined ? '' : ` (${detail})`);
    super(`${path}: ${words}`, options);
    this.kind = kind;
    this.words = words;
  }
}

const KIND_BY_CODE: Readonly<Record<string, FileProblemKind>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EISDIR: 'folder',
  ENXIO: 'special',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'forbidden',
};

/** What the system says about a file, in the words for a model. A problem that is one already stays as it is. */
export function fileProblem(error: unknown, path: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = errorCode(error);
  const kind = KIND_BY_CODE[code];
  return kind === undefined
    ? new FileProblem('broken', path, code === '' ? messageOf(error) : code, { cause: error })
    : new FileProblem(kind, path, undefined, { cause: error });
}

export function errorCode(error: unknown): string {
  return (error as { readonly code?: string }).code ?? '';
}
