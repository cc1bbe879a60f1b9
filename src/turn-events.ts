/** A turn that can be waited for and, at the same time, watched event by event. */
import type { Listener, RuntimeEvent } from './core/events.js';
import type { TurnResult } from './core/turn.js';

/** Its events have to be asked for at once, in the same breath as the turn; what came before is not repeated. */
export type Turn = Promise<TurnResult> & AsyncIterable<RuntimeEvent>;

export type Subscribe = (listener: Listener) => () => void;

export function watchable(result: Promise<TurnResult>, subscribe: Subscribe): Turn {
  return Object.assign(result, { [Symbol.asyncIterator]: () => eventsUntil(result, subscribe) });
}

/** Everything that is heard until the turn has ended. A turn that cannot be started throws here, too. */
function eventsUntil(result: Promise<TurnResult>, subscribe: Subscribe): AsyncIterator<RuntimeEvent, undefined> {
  const waiting: RuntimeEvent[] = [];
  /** Whoever asked for an event before there was one, in their order. */
  const asking: (() => void)[] = [];
  const wake = (): void => asking.splice(0).forEach((each) => each());
  let ended = false;
  const unsubscribe = subscribe((event) => {
    waiting.push(event);
    wake();
  });
  const end = (): void => {
    ended = true;
    unsubscribe();
    wake();
  };
  result.then(end, end);

  return {
    async next() {
      while (waiting.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          asking.push(resolve);
        });
      }
      const value = waiting.shift();
      if (value !== undefined) return { value, done: false };
      await result;
      return { value: undefined, done: true };
    },
    async return() {
      end();
      return { value: undefined, done: true };
    },
  };
}
