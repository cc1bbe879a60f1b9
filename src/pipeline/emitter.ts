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
    for (const listener of listeners) deliver(event, listener);
  }

  function deliver(event: RuntimeEvent, listener: Listener): void {
    try {
      listener(event);
    } catch (error) {
      // The others must hear of it, and telling the one that failed would only fail again.
      listeners.delete(listener);
      emit({ type: 'listener.failed', reason: messageOf(error) });
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
