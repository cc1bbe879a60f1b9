/** Writes the schema files that are published with the package. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { configJsonSchema } from './config-schema.js';
import { eventsJsonSchema } from './events-schema.js';
import { execEventsJsonSchema } from './exec-events-schema.js';

const docs = path.join(import.meta.dirname, '../docs');
writeFileSync(path.join(docs, 'events.schema.json'), `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`);
writeFileSync(path.join(docs, 'exec-events.schema.json'), `${JSON.stringify(execEventsJsonSchema(), null, 2)}\n`);
writeFileSync(path.join(docs, 'config.schema.json'), `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
