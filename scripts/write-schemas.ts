/** Writes the schema files that are published with the package. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { eventsJsonSchema } from './events-schema.js';

const docs = path.join(import.meta.dirname, '../docs');
writeFileSync(path.join(docs, 'events.schema.json'), `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`);
