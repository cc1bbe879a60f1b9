/** The lines of a session's file as a JSON schema, for readers in other languages. */
import { toJSONSchema } from 'zod/v4/core';

import { SESSION_VERSION } from '../src/core/session-log.js';
import { sessionLineSchema } from '../src/core/session-schema.js';

export function sessionJsonSchema(): object {
  const title = `Lines of a kept session, version ${SESSION_VERSION}`;
  return { title, ...toJSONSchema(sessionLineSchema, { io: 'input' }) };
}
