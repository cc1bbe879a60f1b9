/** Turns of a conversation come one after another; whoever waits may end the one that runs. */

export interface TurnSlot {
  readonly taken: boolean;
  /** Throws when something else is at work. `signal` fires when it is interrupted. */
  alone<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /** Resolves when what runs has ended. */
  interrupt(): Promise<void>;
}

export function createTurnSlot(): TurnSlot {
  let running: { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;
  return {
    get taken() {
      return running !== undefined;
    },
    async alone(work) {
      if (running) throw new Error('a turn of this session is running; wait for its end, steer it, or interrupt it');
      const controller = new AbortController();
      // Known as running before its first event is heard, because a listener may want to end it.
      const result = Promise.resolve().then(() => work(controller.signal));
      running = { controller, ended: result.catch(() => {}) };
      try {
        return await result;
      } finally {
        running = undefined;
      }
    },
    async interrupt() {
      running?.controller.abort();
      await running?.ended;
    },
  };
}
