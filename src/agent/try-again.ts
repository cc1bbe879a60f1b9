/** Sends a request until it is answered: again after what passes, and never after what does not. */
import { Aborted } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import { ModelError } from '../core/model.js';
import type { Model } from '../core/model.js';
import { retryFor } from './retry.js';
import { errorOf } from './turn-end.js';
import { wait } from './wait.js';

export type TryingParts = {
  readonly turn: string;
  readonly signal: AbortSignal;
  readonly model: Model;
  readonly emit: Emit;
  /** Between 0 and 1. */
  readonly random: () => number;
};

export type Attempt<Value> = {
  readonly make: () => Promise<Value>;
  /** After each failure, before anything is tried again. True when it brought something: failures count anew then. */
  readonly failed: () => Promise<boolean>;
};

/** Also of those that brought something: a server that never ends a response is broken all the same. */
const MOST_FAILURES = 20;

/** Throws the last `ModelError`, or `Aborted`. */
export async function tryAgain<Value>(parts: TryingParts, { make, failed }: Attempt<Value>): Promise<Value> {
  const { turn, signal, model, emit, random } = parts;
  let all = 0;
  for (let failures = 1; ; failures += 1) {
    try {
      return await make();
    } catch (error) {
      if (await failed()) failures = 1;
      if (signal.aborted) throw new Aborted();
      if (!(error instanceof ModelError)) throw error;
      all += 1;
      const retry = all > MOST_FAILURES ? undefined : retryFor(error, failures, model.limits, random());
      if (retry === undefined) throw afterRetries(error, all - 1);
      emit({ type: 'request.retried', turn, retry: failures, ...retry, error: errorOf(error) });
      await wait(retry.delayMs, signal);
    }
  }
}

/** Whoever reads it should know that waiting was tried. */
function afterRetries(error: ModelError, retries: number): ModelError {
  if (retries === 0) return error;
  const { kind, message, status, retryAfterMs, streaming } = error;
  const tried = `${message} (tried ${retries + 1} times)`;
  return new ModelError(kind, tried, {
    streaming,
    cause: error,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
