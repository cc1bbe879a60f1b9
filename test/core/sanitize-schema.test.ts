import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { sanitizeParameters } from '../../src/core/sanitize-parameters.js';
import { sanitizeSchema } from '../../src/core/sanitize-schema.js';
import { propertyRuns } from '../support/property-runs.js';
import { anySchema } from '../support/any-schema.js';
import { subsetProblem } from '../support/schema-subset.js';

describe('sanitizeSchema', () => {
  const cases: readonly (readonly [what: string, input: unknown, expected: unknown])[] = [
    ['an integer is a number', { type: 'integer' }, { type: 'number' }],
    ['true as a schema is a string', true, { type: 'string' }],
    ['an empty schema is a string', {}, { type: 'string' }],
    ['null is a string', null, { type: 'string' }],
    ['an array without items holds strings', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
    [
      'an array with items: true holds strings',
      { type: 'array', items: true },
      { type: 'array', items: { type: 'string' } },
    ],
    [
      'properties make an object',
      { properties: { b: { type: 'boolean' }, a: {} } },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } } },
    ],
    ['items make an array', { items: { type: 'integer' } }, { type: 'array', items: { type: 'number' } }],
    ['a minimum makes a number', { minimum: 3 }, { type: 'number' }],
    ['a format makes a string', { format: 'date' }, { type: 'string' }],
    ['an enum of strings is a string', { enum: ['a', 'b', 'a'] }, { type: 'string', enum: ['a', 'b'] }],
    ['an enum of numbers is a number', { enum: [1, 2] }, { type: 'number', enum: [1, 2] }],
    [
      'a mixed enum is a union',
      { enum: ['a', 1, null] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'number', enum: [1] },
        ],
      },
    ],
    ['a const is an enum of one', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['enum values of another type are dropped', { type: 'string', enum: [1, 'a'] }, { type: 'string', enum: ['a'] }],
    ['a nullable string is a string', { type: ['string', 'null'] }, { type: 'string' }],
    ['several types are a union', { type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      'anyOf with null stands for the rest',
      { anyOf: [{ type: 'string', description: 'inner' }, { type: 'null' }], description: 'outer' },
      { type: 'string', description: 'outer' },
    ],
    ['equal alternatives are one', { oneOf: [{ type: 'integer' }, { type: 'number' }] }, { type: 'number' }],
    [
      'unions inside unions dissolve',
      { anyOf: [{ type: 'boolean' }, { anyOf: [{ type: 'string' }, { type: 'boolean' }] }] },
      { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
    ],
    [
      'allOf adds up',
      {
        allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'integer' } } }],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
    ],
    [
      'a local reference is inlined, its own description wins',
      {
        properties: { p: { $ref: '#/$defs/P', description: 'mine' } },
        $defs: { P: { type: 'string', description: 'theirs' } },
      },
      { type: 'object', properties: { p: { type: 'string', description: 'mine' } } },
    ],
    [
      'a recursive reference ends at its type',
      { properties: { next: { $ref: '#' } } },
      {
        type: 'object',
        properties: { next: { type: 'object', properties: { next: { type: 'object', properties: {} } } } },
      },
    ],
    ['a reference to nowhere is a string', { $ref: '#/$defs/Missing' }, { type: 'string' }],
    ['a remote reference is a string', { $ref: 'https://example.com/schema' }, { type: 'string' }],
    [
      'unknown keywords are dropped',
      { type: 'string', title: 'T', default: 'x', pattern: '^a', examples: ['a'], 'x-thing': 1 },
      { type: 'string' },
    ],
    [
      'a required property that is not described is described',
      { type: 'object', required: ['a', 'a'] },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    [
      'an object with alternatives accepts the properties of all of them',
      {
        type: 'object',
        properties: { a: { type: 'integer' } },
        oneOf: [{ properties: { b: {} } }, { $ref: '#/$defs/C' }],
        $defs: { C: { properties: { a: {}, c: {} } } },
      },
      { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' }, c: { type: 'string' } } },
    ],
    [
      'a schema for additional properties is kept',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
    ],
    [
      'tuples hold any of their items',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
  ];

  test.each(cases)('%s', (_, input, expected) => {
    expect(JSON.stringify(sanitizeSchema(input))).toBe(JSON.stringify(expected));
  });

  test('a property called __proto__ is a property like any other', () => {
    const input: unknown = JSON.parse('{"properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}');
    expect(JSON.stringify(sanitizeSchema(input))).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"number"}},"required":["__proto__"]}',
    );
  });

  test('a hundred thousand levels of nesting end', () => {
    let schema: unknown = { type: 'string' };
    for (let level = 0; level < 100_000; level += 1) schema = { type: 'array', items: schema };
    expect(subsetProblem(sanitizeSchema(schema))).toBeUndefined();
  });

  const MANY = 20_000;
  const names = (prefix: string) => Array.from({ length: MANY }, (_, index) => `${prefix}${index}`);
  const everyProperty = (schema: unknown) => Object.fromEntries(names('p').map((name) => [name, schema]));
  let doubling: unknown = {};
  for (let level = 0; level < 40; level += 1)
    doubling = { type: ['array', 'object'], items: doubling, properties: { a: doubling } };

  test.each<readonly [string, unknown]>([
    [
      'many references to a long enum',
      { properties: everyProperty({ $ref: '#/$defs/t' }), $defs: { t: { enum: names('v') } } },
    ],
    [
      'many references to a wide node',
      { properties: everyProperty({ $ref: '#/$defs/t' }), $defs: { t: everyProperty(1) } },
    ],
    [
      'many references to a long text',
      { properties: everyProperty({ $ref: '#/$defs/t' }), $defs: { t: { description: 'd'.repeat(300_000) } } },
    ],
    ['many properties that refer to all of them', { properties: everyProperty({ allOf: [{ $ref: '#' }] }) }],
    ['many parts', { allOf: names('p').map((name) => ({ properties: { [name]: {} }, required: [name] })) }],
    ['many required names', { required: names('r') }],
    [
      'an endless reference',
      { properties: { a: { allOf: [{ $ref: '#' }] }, b: { $ref: `#/${'a/'.repeat(100_000)}` } } },
    ],
    ['types that double at every level', doubling],
  ])('%s end, in the subset and at rest', (_, input) => {
    const once = sanitizeParameters(input);
    expect(subsetProblem(once)).toBeUndefined();
    expect(JSON.stringify(sanitizeParameters(once))).toBe(JSON.stringify(once));
  });

  test('nested parts all add up', () => {
    const part = (name: string) => ({ allOf: [{ properties: { [name]: { type: 'integer' } } }] });
    expect(sanitizeSchema({ allOf: [part('a'), part('b')] })).toEqual({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
    });
  });

  test('nested tuples stay as they are', () => {
    let tuples: unknown = { type: 'number' };
    for (let level = 0; level < 20; level += 1) tuples = { prefixItems: [{ type: 'boolean' }, tuples] };
    const once = sanitizeSchema(tuples);
    expect(sanitizeSchema(once)).toEqual(once);
  });

  test('references that double at every step end', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `D${index}`,
        { properties: { a: { $ref: `#/$defs/D${index + 1}` }, b: { $ref: `#/$defs/D${index + 1}` } } },
      ]),
    );
    expect(subsetProblem(sanitizeSchema({ $ref: '#/$defs/D0', $defs: definitions }))).toBeUndefined();
  });

  test('whatever goes in, what comes out is in the subset', () => {
    fc.assert(
      fc.property(anySchema, (input) => {
        expect(subsetProblem(sanitizeSchema(input))).toBeUndefined();
      }),
      propertyRuns(300, 100_000),
    );
  });

  test('sanitising twice changes nothing', () => {
    fc.assert(
      fc.property(anySchema, (input) => {
        const once = sanitizeSchema(input);
        expect(JSON.stringify(sanitizeSchema(once))).toBe(JSON.stringify(once));
      }),
      propertyRuns(300, 100_000),
    );
  });
});

describe('sanitizeParameters', () => {
  test('parameters are always an object', () => {
    expect(sanitizeParameters({ type: 'string' })).toEqual({ type: 'object', properties: {} });
  });

  test('alternatives of objects accept any of them', () => {
    const input = {
      anyOf: [
        { properties: { id: { type: 'string' }, a: {} }, required: ['id', 'a'] },
        { properties: { id: { type: 'string' }, b: {} }, required: ['id', 'b'] },
      ],
    };
    expect(sanitizeParameters(input)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, id: { type: 'string' } },
      required: ['id'],
    });
  });

  test('too large a schema loses its inner descriptions first', () => {
    const leaf = { type: 'string', description: 'x'.repeat(600) };
    const input = {
      properties: {
        outer: { description: 'stays', properties: Object.fromEntries([...'abcdefghij'].map((name) => [name, leaf])) },
      },
    };
    const names = Object.fromEntries([...'abcdefghij'].map((name) => [name, { type: 'string' }]));
    expect(sanitizeParameters(input)).toEqual({
      type: 'object',
      properties: { outer: { type: 'object', description: 'stays', properties: names } },
    });
  });

  test('what cannot be made small enough keeps its required properties', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`property_${index}`, { type: 'string' }]),
    );
    expect(sanitizeParameters({ properties, required: ['property_7'] })).toEqual({
      type: 'object',
      properties: { property_7: { type: 'string' } },
      required: ['property_7'],
    });
  });

  test('whatever goes in, it is an object of the subset, within the budget, and stays as it is', () => {
    fc.assert(
      fc.property(anySchema, fc.integer({ min: 40, max: 2_000 }), (input, budget) => {
        const schema = sanitizeParameters(input, budget);
        expect(schema.type).toBe('object');
        expect(subsetProblem(schema)).toBeUndefined();
        expect(Buffer.byteLength(JSON.stringify(schema))).toBeLessThanOrEqual(budget);
        expect(JSON.stringify(sanitizeParameters(schema, budget))).toBe(JSON.stringify(schema));
      }),
      propertyRuns(300, 100_000),
    );
  });
});
