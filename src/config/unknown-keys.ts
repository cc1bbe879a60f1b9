/** Keys that nobody reads, found by walking a table beside its schema. */
import type { $ZodType, $ZodTypes } from 'zod/v4/core';

import { nearest } from '../core/nearest.js';
import { CONFIG_KEYS, schemaOfKey } from './config-schema.js';
import { isTable } from './raw-table.js';

export type UnknownKey = {
  readonly path: readonly string[];
  /** What was probably meant, as the end of a sentence. */
  readonly hint: string;
};

export function unknownKeys(raw: unknown): readonly UnknownKey[] {
  return isTable(raw) ? unknownAmong(raw, { names: CONFIG_KEYS, schemaOf: schemaOfKey }, []) : [];
}

type Known = {
  readonly names: readonly string[];
  /** Asked for tables only. */
  readonly schemaOf: (name: string) => $ZodType | undefined;
};

function unknownAmong(
  table: Readonly<Record<string, unknown>>,
  known: Known,
  path: readonly string[],
): readonly UnknownKey[] {
  return Object.entries(table).flatMap(([key, each]) => {
    if (!known.names.includes(key)) return [unknownKey([...path, key], known.names)];
    return isTable(each) ? unknownIn(each, known.schemaOf(key), [...path, key]) : [];
  });
}

function unknownIn(value: unknown, schema: $ZodType | undefined, path: readonly string[]): readonly UnknownKey[] {
  if (!isTable(value) || schema === undefined) return [];
  const { def } = schema as unknown as { readonly def: $ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'optional':
      return unknownIn(value, def.innerType, path);
    case 'union':
      return def.options.flatMap((option) => unknownIn(value, option, path));
    case 'record':
      return Object.entries(value).flatMap(([key, each]) => unknownIn(each, def.valueType, [...path, key]));
    case 'object':
      return unknownAmong(value, { names: Object.keys(def.shape), schemaOf: (name) => def.shape[name] }, path);
    default:
      return [];
  }
}

function unknownKey(path: readonly string[], known: readonly string[]): UnknownKey {
  const name = path.at(-1) ?? '';
  const guess = nearest(name, known);
  if (guess !== undefined) return { path, hint: `; did you mean \`${guess}\`?` };
  // In TOML, what follows a header belongs to its table.
  const isMisplaced = path.length > 1 && CONFIG_KEYS.includes(name);
  return { path, hint: isMisplaced ? `; \`${name}\` has to stand above the first table` : '' };
}
