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
  const waiting: RuntimeEvent[] = [];
  let delivering = false;
  let seq = 0;

  function emit(body: EventBody): void {
    seq += 1;
    if (listeners.size === 0) return;
    waiting.push({ v: EVENT_VERSION, seq, at: new Date().toISOString(), ...body });
    if (!delivering) deliverWaiting();
  }

  /** What a listener causes while it listens waits its turn, so that everybody hears of things in order. */
  function deliverWaiting(): void {
    delivering = true;
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      for (const listener of listeners) deliver(event, listener);
    }
    delivering = false;
  }

  function deliver(event: RuntimeEvent, listener: Listener): void {
    try {
      const result: unknown = listener(event);
      if (result instanceof Promise) result.catch((error: unknown) => drop(listener, error));
    } catch (error) {
      drop(listener, error);
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
