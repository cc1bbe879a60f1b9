/** One set of words for everything that can be wrong with a path, whichever tool or workspace found it. */
import { ToolFailure } from './errors.js';

export type FileProblemKind = 'missing' | 'folder' | 'special' | 'forbidden' | 'broken';

const WORDS: Record<FileProblemKind, string> = {
  missing: 'no such file',
  folder: 'it is a folder, not a file',
  special: 'it is not a regular file (a device, pipe or socket)',
  forbidden: 'permission denied',
  broken: 'it cannot be read',
};

export class FileProblem extends ToolFailure {
  override readonly name = 'FileProblem';
  readonly kind: FileProblemKind;

  constructor(kind: FileProblemKind, path: string, detail?: string, options?: ErrorOptions) {
    super(`${path}: ${WORDS[kind]}${detail === undefined ? '' : ` (${detail})`}`, options);
    this.kind = kind;
  }
}
