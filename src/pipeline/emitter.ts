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
    const failed = [...listeners].flatMap((listener) => deliver(event, listener));
    // Told only now, so that everybody hears of things in the order they happened.
    for (const failure of failed) drop(failure.listener, failure.error);
  }

  /** What went wrong at once, if anything did; a failure that comes later is told when it comes. */
  function deliver(event: RuntimeEvent, listener: Listener): { listener: Listener; error: unknown }[] {
    try {
      listener(event)?.catch((error: unknown) => drop(listener, error));
      return [];
    } catch (error) {
      return [{ listener, error }];
    }
  }

  /** Telling a listener that failed would only fail again. */
  function drop(listener: Listener, error: unknown): void {
    if (listeners.delete(listener)) emit({ type: 'listener.failed', reason: messageOf(error) });
  }

  return {
    emit,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
