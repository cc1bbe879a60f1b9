/** The file of `--output-schema`, checked as far as that can be done without a server. */
import { readFileSync } from 'node:fs';

import { isTooDeep } from '../../index.js';
import type { OutputSchema } from '../../index.js';
import { UsageError } from '../usage-error.js';
import { schemaProblem } from './schema-problem.js';

const NAME = 'tenon_output_schema';

/** Throws a `UsageError`. */
export function readOutputSchema(file: string): OutputSchema {
  const schema = parsed(file, contentOf(file));
  const problem = isTooDeep(schema) ? 'it is nested more deeply than any server takes' : schemaProblem(schema);
  if (problem !== undefined) throw new UsageError(`--output-schema ${file}: ${problem}`);
  return { name: NAME, schema: schema as OutputSchema['schema'], strict: true };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--output-schema ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`--output-schema ${file} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}
