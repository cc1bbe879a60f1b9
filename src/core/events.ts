/** The one stream that journals, audit, user interfaces and embedders listen to. The schema gives the types. */
import type { z } from 'zod/mini';

import type { runtimeEventSchema } from './event-schema.js';

/** Raised when an event changes in a way an older reader cannot ignore. */
export const EVENT_VERSION = 1;

/** One thing that happened, as it travels: plain data, one JSON line each. */
export type RuntimeEvent = DeepReadonly<z.infer<typeof runtimeEventSchema>>;

export type DeepReadonly<Value> = Value extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

type Unstamped<Event> = Event extends RuntimeEvent ? Omit<Event, 'v' | 'seq' | 'at'> : never;

/** An event before the runtime has numbered and dated it. */
export type EventBody = Unstamped<RuntimeEvent>;

type WithoutCall<Body> = Body extends { callId: string } ? Omit<Body, 'callId'> : never;

/** What a running tool may tell; the spine adds which call it belongs to. */
export type ToolEvent = WithoutCall<Extract<EventBody, { type: 'plan.updated' }>>;

export type Emit = (event: EventBody) => void;
/** What it returns is of no interest, but a promise that rejects counts as a failure. */
export type Listener = (event: RuntimeEvent) => unknown;
