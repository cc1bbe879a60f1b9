/** Waiting that ends when the call is cancelled, so that no step can hold a cancelled call back. */
import { abortOf } from '../core/abort.js';
import { Aborted } from '../core/errors.js';

/** One call's way of being cancelled, shared by all its steps. */
export interface Cancellation {
  readonly signal: AbortSignal;
  /** The work's own result, or `Aborted` as soon as the signal fires; the work itself is left to end unheard. */
  unlessAborted<Value>(work: () => Promise<Value> | Value): Promise<Value>;
  /**
   * The same, but the work may still finish within `graceMs` after the signal: a tool that stops cleanly, or had
   * all but finished, reports what really happened.
   */
  withGrace<Value>(graceMs: number, work: () => Promise<Value>): Promise<Value>;
}

export function createCancellation(signal: AbortSignal): Cancellation {
  // One promise for the whole call: listening anew at every step would cost more than the steps do.
  let cancelled: Promise<never> | undefined;
  const whenAborted = (): Promise<never> => (cancelled ??= rejectOnAbort(signal));

  return {
    signal,
    async unlessAborted(work) {
      if (signal.aborted) throw new Aborted();
      return Promise.race([work(), whenAborted()]);
    },
    async withGrace(graceMs, work) {
      if (signal.aborted) throw new Aborted();
      const working = work();
      try {
        return await Promise.race([working, whenAborted()]);
      } catch (error) {
        if (!signal.aborted) throw error;
        return await within(graceMs, working);
      }
    },
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const rejection = abortOf(signal);
  // A step that has ended no longer listens, and that is no error.
  rejection.catch(() => {});
  return rejection;
}

/** What the work still gives in the time that is left; whatever it throws by then only says that it was cut off. */
async function within<Value>(graceMs: number, working: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Aborted()), graceMs);
  });
  try {
    return await Promise.race([working, late]);
  } catch {
    throw new Aborted();
  } finally {
    clearTimeout(timer);
  }
}
