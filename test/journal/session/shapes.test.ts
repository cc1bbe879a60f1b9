import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJSONSchema } from 'zod/mini';

import { sessionLineSchema } from '../../../src/core/session-schema.js';
import { shapeOf } from '../../../src/journal/session/shapes.js';
import { propertyRuns } from '../../support/property-runs.js';

type Schema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

type Line = Readonly<Record<string, unknown>>;

const { oneOf: LINES = [] } = toJSONSchema(sessionLineSchema) as Schema;
const typeOf = ({ properties }: Schema): string => String(properties?.['type']?.const);

/** Whatever a schema allows. */
function anyOf({ const: only, enum: values, oneOf, anyOf: some, ...schema }: Schema): fc.Arbitrary<unknown> {
  if (only !== undefined) return fc.constant(only);
  if (values) return fc.constantFrom(...values);
  const choices = oneOf ?? some;
  if (choices) return fc.oneof(...choices.map(anyOf));
  const { type, items = {}, properties = {}, required = [] } = schema;
  if (type === 'string') return fc.string();
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer();
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === 'array') return fc.array(anyOf(items), { maxLength: 3 });
  if (type !== 'object') return fc.jsonValue({ maxDepth: 1 });
  const fields = Object.entries(properties).map(([name, field]) => [name, anyOf(field)] as const);
  if (fields.length === 0) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

test('there are lines to look at', () => {
  expect(LINES.map(typeOf)).toContain('session.created');
  expect(LINES.length).toBeGreaterThan(15);
});

test.each(LINES.map((schema) => [typeOf(schema), schema] as const))(
  '%s: all that may be written can be read',
  (type, schema) => {
    fc.assert(
      fc.property(anyOf(schema), (line) => {
        expect(sessionLineSchema.safeParse(line).success).toBe(true);
        expect({ line, isRead: shapeOf(type)?.(JSON.parse(JSON.stringify(line))) }).toEqual({ line, isRead: true });
      }),
      propertyRuns(30),
    );
  },
);

test.each(LINES.map((schema) => [typeOf(schema), schema] as const))(
  '%s: what lacks a field, or has another, cannot',
  (type, schema) => {
    const required = (schema.required ?? []).filter((name) => name !== 'type');
    const broken = fc.tuple(anyOf(schema), fc.constantFrom(...required), fc.constantFrom(undefined, null, {}, []));
    fc.assert(
      fc.property(broken, ([line, name, value]) => {
        const changed: Line = { ...(line as Line), [name]: value };
        const isRight = sessionLineSchema.safeParse(changed).success;
        expect({ changed, isRead: shapeOf(type)?.(changed) }).toEqual({ changed, isRead: isRight });
      }),
      propertyRuns(60),
    );
  },
);

test.each(['nothing.known', '', 'constructor', '__proto__', 'toString'])('%j is no type of ours', (type) => {
  expect(shapeOf(type)).toBeUndefined();
});
