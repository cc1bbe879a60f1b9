import fc from 'fast-check';
import { expect, test } from 'vitest';

import { schemaProblem } from '../../../src/cli/exec/schema-problem.js';
import { propertyRuns } from '../../support/property-runs.js';

test('a schema with everything in it has no problem', () => {
  expect(
    schemaProblem({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        type: { type: ['string', 'null'], enum: ['a', null] },
        list: { type: 'array', items: { $ref: '#/$defs/a~1b' } },
        any: { anyOf: [{ type: 'integer' }, { $ref: '#' }, true] },
      },
      required: ['type', 'list'],
      additionalProperties: false,
      $defs: { 'a/b': { type: 'number', not: { const: 4 } } },
    }),
  ).toBeUndefined();
});

test.each<readonly [schema: unknown, problem: string]>([
  [[], 'a JSON schema is an object, such as {"type": "object", "properties": {…}}'],
  ['object', 'a JSON schema is an object, such as {"type": "object", "properties": {…}}'],
  [
    { type: 'strin' },
    '#/type should be one of string, number, integer, boolean, object, array, null, or a list of them, not "strin"',
  ],
  [{ properties: { a: { required: 'a' } } }, '#/properties/a/required should be a list of names, not "a"'],
  [{ properties: ['a'] }, '#/properties should be an object of schemas, not ["a"]'],
  [{ items: 'string' }, '#/items should be a schema, not "string"'],
  [{ anyOf: [{ enum: [] }] }, '#/anyOf/0/enum should be a list of values that is not empty, not []'],
  [{ oneOf: [] }, '#/oneOf should be a list of schemas that is not empty, not []'],
  [{ $ref: '#/$defs/a' }, '#/$ref should be a place in this schema, such as #/$defs/name, not "#/$defs/a"'],
])('%j is told apart', (schema, problem) => {
  expect(schemaProblem(schema)).toBe(problem);
});

test('any JSON is looked at without a crash, however deep', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('properties', 'items', 'anyOf', '$ref'), (value, keyword) => {
      for (const schema of [value, { [keyword]: value }]) {
        const problem = schemaProblem(schema);
        expect(problem === undefined || problem.length > 0).toBe(true);
      }
    }),
    propertyRuns(300),
  );
  let deep: object = {};
  for (let level = 0; level < 20_000; level += 1) deep = { items: deep };
  expect(schemaProblem(deep)).toBeUndefined();
});
