/** The events as a JSON schema, for readers in other languages. */
import { toJSONSchema } from 'zod/v4/core';

import { runtimeEventSchema } from '../src/core/event-schema.js';
import { EVENT_VERSION } from '../src/core/events.js';

export function eventsJsonSchema(): object {
  const title = `Tenon runtime events, version ${EVENT_VERSION}`;
  return { title, ...toJSONSchema(runtimeEventSchema, { io: 'input' }) };
}
