/** What the answer of a turn has to look like, for a model whose server takes no schema: it has to be told. */
import type { OutputSchema } from './model.js';

export function schemaInWords({ schema }: OutputSchema): string {
  return `Your last message must be JSON and nothing else, and follow this schema:\n${JSON.stringify(schema)}`;
}
