/** Writes the schema files that are published with the package. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { configJsonSchema } from './config-schema.js';
import { eventsJsonSchema } from './events-schema.js';
import { execEventsJsonSchema } from './exec-events-schema.js';
import { sessionJsonSchema } from './session-schema.js';

const docs = path.join(import.meta.dirname, '../docs');
write('events', eventsJsonSchema());
write('exec-events', execEventsJsonSchema());
write('config', configJsonSchema());
write('session', sessionJsonSchema());

function write(name: string, schema: object): void {
  writeFileSync(path.join(docs, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
