/** Command lines as models write them, by what is to be said of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod/mini';

const lines = z.array(z.string());
const schema = z.strictObject({ safe: lines, plain: lines, danger: lines, unclear: lines });

export const corpus = schema.parse(
  parse(readFileSync(path.join(import.meta.dirname, '../policy/corpus.toml'), 'utf8')),
);
