/** One stream of events, numbered and dated. A listener that throws harms nobody but itself, and that is told. */
import { messageOf } from '../core/errors.js';
import { EVENT_VERSION } from '../core/events.js';
import type { Emit, EventBody, Listener, RuntimeEvent } from '../core/events.js';

export interface Emitter {
  readonly emit: Emit;
  /** Returns the function that ends the subscription. */
  subscribe(listener: Listener): () => void;
}

export function createEmitter(initial: readonly Listener[]): Emitter {
  const listeners = new Set(initial);
  let seq = 0;

  function emit(body: EventBody): void {
    seq += 1;
    if (listeners.size === 0) return;
    const event = { v: EVENT_VERSION, seq, at: new Date().toISOString(), ...body } as RuntimeEvent;
    const failures = [...listeners].flatMap((listener) => deliver(event, listener));
    // Told only now, so that everybody hears of things in the order they happened.
    for (const reason of failures) emit({ type: 'listener.failed', reason });
  }

  /** The reason of a failure, if there was one. Telling a listener that failed would only fail again. */
  function deliver(event: RuntimeEvent, listener: Listener): string[] {
    try {
      listener(event);
      return [];
    } catch (error) {
      listeners.delete(listener);
      return [messageOf(error)];
    }
  }

  return {
    emit,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
