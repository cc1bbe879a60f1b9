/** The lines of `tenon exec --json` as a JSON schema, for readers in other languages. */
import { registry, toJSONSchema } from 'zod/v4/core';

import { EXEC_VERSION } from '../src/cli/exec/exec-event.js';
import { execEventSchema } from '../src/cli/exec/exec-event-schema.js';
import { execItemSchema } from '../src/cli/exec/exec-item-schema.js';

export function execEventsJsonSchema(): object {
  const title = `Lines of tenon exec --json, version ${EXEC_VERSION}`;
  // Written once, under a name, because three kinds of line have items.
  const metadata = registry<{ id: string }>().add(execItemSchema, { id: 'item' });
  return { title, ...toJSONSchema(execEventSchema, { io: 'input', metadata }) };
}
