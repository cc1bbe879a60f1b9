/**
 * Throw inside, union outside: steps throw one of these named errors, and `toOutcome` turns whatever was thrown
 * into data. A name says who has to act. Messages say what happened, then what to do; they never hold a stack.
 */
import type { AbortedBy, Outcome, RejectedBy } from './outcome.js';

/** The model has to act: its call cannot work as it stands. */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure';
}

/** A guard said no: nothing was run, or its result is withheld. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
  readonly by: RejectedBy;

  constructor(by: RejectedBy, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.by = by;
  }
}

/** The person or program in charge cancelled the call. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
  readonly by: AbortedBy;
  /** True once the tool itself had ended: its effects stand although the model sees no result. */
  readonly afterRun: boolean;

  constructor({ by = 'signal', afterRun = false }: { by?: AbortedBy; afterRun?: boolean } = {}) {
    super('aborted by user');
    this.by = by;
    this.afterRun = afterRun;
  }
}

/** The user has to act: a setting, flag or file of theirs is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** We cannot go on safely: the turn ends. */
export class Fatal extends Error {
  override readonly name = 'Fatal';
}

/** Whether it already says what it means for the call, so that nobody need explain it. */
export function isOwnError(thrown: unknown): boolean {
  return (
    thrown instanceof ToolFailure || thrown instanceof Rejected || thrown instanceof Aborted || thrown instanceof Fatal
  );
}

export function toOutcome(thrown: unknown): Outcome {
  try {
    if (thrown instanceof ToolFailure) return { kind: 'failed', message: messageOf(thrown) };
    if (thrown instanceof Rejected) return { kind: 'rejected', by: thrown.by, reason: messageOf(thrown) };
    if (thrown instanceof Aborted) return { kind: 'aborted', by: thrown.by, afterRun: thrown.afterRun };
    if (thrown instanceof Fatal) return { kind: 'fatal', message: messageOf(thrown) };
  } catch {
    // A value that cannot even be looked at is no error of ours.
  }
  return { kind: 'crashed', message: messageOf(thrown) };
}

/** The one line a person may read of anything that was thrown, however strange it is. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    const text = String(message);
    return text === '' ? 'no reason was given' : text;
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}
