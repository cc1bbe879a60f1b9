/** Keeps every event a runtime emits, in order. */
import type { Listener, RuntimeEvent } from '../core/events.js';

export type EventRecord = {
  readonly listener: Listener;
  readonly events: readonly RuntimeEvent[];
  /** The events of one type. */
  of<Type extends RuntimeEvent['type']>(type: Type): readonly Extract<RuntimeEvent, { type: Type }>[];
};

export function recordEvents(): EventRecord {
  const events: RuntimeEvent[] = [];
  return {
    events,
    listener: (event) => void events.push(event),
    of: <Type extends RuntimeEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<RuntimeEvent, { type: Type }> => event.type === type),
  };
}
