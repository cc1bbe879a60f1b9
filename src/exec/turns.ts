/** One after another, in the order they came; whoever is cancelled while waiting leaves at once. */
import { abortOf, callOff } from '../core/abort.js';
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
        callOff(over);
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
