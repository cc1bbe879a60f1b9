/** One after another, in the order they came; whoever is cancelled while waiting leaves at once. */
import { Aborted } from '../core/errors.js';

export interface Turns {
  take<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  readonly busy: boolean;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    async take(signal, work) {
      const over = new AbortController();
      waiting += 1;
      const turn = last.then(() => {
        if (signal.aborted) throw new Aborted();
        over.abort();
        return work();
      });
      last = turn.catch(() => {}).finally(() => (waiting -= 1));
      return Promise.race([turn, abortOf(signal, over.signal)]);
    },
    get busy() {
      return waiting > 0;
    },
  };
}

/** Rejects when the signal fires, as long as `over` has not. */
export function abortOf(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new Aborted());
    signal.addEventListener('abort', () => reject(new Aborted()), { once: true, signal: over });
  });
}

/** A pause that ends early, and well, when it is no longer needed. */
export function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    over.addEventListener('abort', end);
  });
}
