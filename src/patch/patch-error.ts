/** Why a patch cannot be applied, in the words that models know. Whoever offers the tool puts its name before them. */
import { ToolFailure } from '../core/errors.js';

/** `empty`: there is nothing in it. `environment`: it asks for another machine. `verification`: all else. */
type PatchErrorKind = 'empty' | 'environment' | 'verification';

export class PatchError extends ToolFailure {
  override readonly name = 'PatchError';
  readonly kind: PatchErrorKind;

  constructor(message: string, kind: PatchErrorKind = 'verification', options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export function invalidPatch(what: string): PatchError {
  return new PatchError(`invalid patch: ${what}`);
}

/** `line` counts from 1, the first line of the patch. */
export function invalidHunk(line: number, what: string): PatchError {
  return new PatchError(`invalid hunk at line ${line}, ${what}`);
}

export function unexpectedLine(line: number, text: string): PatchError {
  const marks = "Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)";
  return invalidHunk(line, `Unexpected line found in update hunk: '${text}'. ${marks}`);
}
