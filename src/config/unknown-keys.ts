/** Keys that nobody reads, found by walking a table beside its schema. */
import type { $ZodType, $ZodTypes } from 'zod/v4/core';

import { nearest } from '../core/nearest.js';
import { configSchema } from './config-schema.js';
import { isTable } from './raw-table.js';

export type UnknownKey = {
  readonly path: readonly string[];
  /** What was probably meant, as the end of a sentence. */
  readonly hint: string;
};

export function unknownKeys(raw: unknown): readonly UnknownKey[] {
  return unknownIn(raw, configSchema, []);
}

function unknownIn(value: unknown, schema: $ZodType, path: readonly string[]): readonly UnknownKey[] {
  if (!isTable(value)) return [];
  const { def } = schema as unknown as { readonly def: $ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'optional':
      return unknownIn(value, def.innerType, path);
    case 'union':
      return def.options.flatMap((option) => unknownIn(value, option, path));
    case 'record':
      return Object.entries(value).flatMap(([key, each]) => unknownIn(each, def.valueType, [...path, key]));
    case 'object':
      return Object.entries(value).flatMap(([key, each]) => {
        const known = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        return known ? unknownIn(each, known, [...path, key]) : [unknownKey([...path, key], Object.keys(def.shape))];
      });
    default:
      return [];
  }
}

function unknownKey(path: readonly string[], known: readonly string[]): UnknownKey {
  const name = path.at(-1) ?? '';
  const guess = nearest(name, known);
  if (guess !== undefined) return { path, hint: `; did you mean \`${guess}\`?` };
  // In TOML, what follows a header belongs to its table.
  const isMisplaced = path.length > 1 && Object.hasOwn(configSchema.shape, name);
  return { path, hint: isMisplaced ? `; \`${name}\` has to stand above the first table` : '' };
}
