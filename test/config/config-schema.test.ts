import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { configJsonSchema, documentedKeys } from '../../scripts/config-schema.js';
import { unknownKeys } from '../../src/config/unknown-keys.js';
import { propertyRuns } from '../support/property-runs.js';

const DOCS = path.join(import.meta.dirname, '../../docs');

type Schema = { readonly properties?: Readonly<Record<string, Schema>>; readonly additionalProperties?: unknown };

/** Every key that has a value of its own, with `*` for any name. */
function keysOf(schema: Schema, place: readonly string[] = []): readonly string[] {
  const { properties, additionalProperties: any } = schema;
  const below = Object.entries(properties ?? {}).flatMap(([name, each]) => keysOf(each, [...place, name]));
  const named = typeof any === 'object' && any !== null ? keysOf(any, [...place, '*']) : [];
  return properties || named.length > 0 ? [...below, ...named] : [place.join('.')];
}

test('the published schema is the one of this version', () => {
  const published: unknown = JSON.parse(readFileSync(path.join(DOCS, 'config.schema.json'), 'utf8'));
  // `npm run schemas` writes it.
  expect(published).toEqual(configJsonSchema());
});

test('every key is documented, and nothing else is', () => {
  const documented = [...documentedKeys().keys()].map((key) => key.replaceAll(/\b[A-Z]+\b/g, '*'));
  const isCovered = (key: string, keys: readonly string[]) =>
    keys.some((each) => each === key || key.startsWith(`${each}.`) || each.startsWith(`${key}.`));
  const keys = keysOf(configJsonSchema() as Schema).filter((key) => !key.startsWith('profiles.'));
  expect(keys.filter((key) => !isCovered(key, documented))).toEqual([]);
  expect(documented.filter((key) => !isCovered(key, [...keys, 'profiles.*']))).toEqual([]);
});

test('the documentation tells editors what a key means, in a profile too', () => {
  const properties = (configJsonSchema() as Schema).properties ?? {};
  const description = 'low, medium, high. Default: by family';
  expect(properties['model_verbosity']).toMatchObject({ description });
  const profile = properties['profiles']?.additionalProperties as Schema;
  expect(profile.properties?.['model_verbosity']).toMatchObject({ description });
  expect(properties['model_prices']).toMatchObject({
    additionalProperties: { properties: { input: { description: 'US dollars for a million tokens of input' } } },
  });
});

test('property: a key is unknown exactly where the schema has no place for it', () => {
  const schema = configJsonSchema() as Schema;
  const names = fc.constantFrom(
    'model',
    'sandbox',
    'limits',
    'model_prices',
    'x',
    'profiles',
    'features',
    'undo',
    'input',
  );
  const { table } = fc.letrec((tie) => ({
    table: fc.dictionary(names, fc.oneof({ depthSize: 'small' }, fc.constant(1), tie('table')), { maxKeys: 4 }),
  }));
  const hasPlace = (value: object, place: Schema | undefined): boolean =>
    Object.entries(value).every(([name, each]: [string, unknown]) => {
      const { properties, additionalProperties: any } = place ?? {};
      // Not a table at all, which is another mistake.
      if (!properties && !any) return true;
      const next = properties?.[name] ?? (typeof any === 'object' ? (any as Schema) : undefined);
      return next !== undefined && (typeof each !== 'object' || each === null || hasPlace(each, next));
    });
  fc.assert(
    fc.property(table, (raw) => {
      expect(unknownKeys(raw).length === 0).toBe(hasPlace(raw as object, schema));
    }),
    propertyRuns(300),
  );
});
