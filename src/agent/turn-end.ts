/** Thrown by whatever ends a turn before the model is done, and caught where the turn becomes a result. */
import { Aborted, messageOf } from '../core/errors.js';
import { ModelError } from '../core/model.js';
import type { TurnError, TurnStatus } from '../core/turn.js';

export class TurnEnd extends Error {
  override readonly name = 'TurnEnd';
  readonly status: Exclude<TurnStatus, 'completed'>;
  readonly error: TurnError | undefined;

  constructor(status: TurnEnd['status'], error?: TurnError, options?: ErrorOptions) {
    super(error?.message ?? status, options);
    this.status = status;
    this.error = error;
  }
}

/** What was thrown, as an end of the turn. What nobody expected is a fault of ours; the turn has ended all the same. */
export function toTurnEnd(thrown: unknown): TurnEnd {
  if (thrown instanceof TurnEnd) return thrown;
  if (thrown instanceof Aborted) return new TurnEnd('interrupted');
  if (thrown instanceof ModelError) return new TurnEnd('failed', errorOf(thrown));
  return new TurnEnd('failed', { kind: 'fatal', message: messageOf(thrown) }, { cause: thrown });
}

export function errorOf({ kind, message, status }: ModelError): TurnError {
  return { kind, message, ...(status !== undefined && { status }) };
}
