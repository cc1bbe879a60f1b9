import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { array, boolean, enum as oneOf, int, minimum, object, optional, string } from 'zod/mini';
import { object as fullObject, string as fullString } from 'zod';

import { ToolFailure, defineFreeformTool, defineTool, textOutput } from '../../src/index.js';
import type { Payload, Tool } from '../../src/index.js';
import { functionCall } from '../support/runtime.js';
import { propertyRuns } from '../support/property-runs.js';

const search = defineTool({
  name: 'search',
  description: 'Looks for something.',
  input: object({
    query: string(),
    limit: optional(int().check(minimum(1))),
    deep: optional(boolean()),
    kinds: optional(array(string())),
    order: optional(oneOf(['up', 'down'])),
  }),
  parameterAliases: { q: 'query', max: 'limit' },
  intent: () => ({ effects: [] }),
  run: () => textOutput(''),
});

const note = defineFreeformTool({
  name: 'note',
  description: 'Takes a note.',
  textArguments: ['text'],
  intent: () => ({ effects: [] }),
  run: () => textOutput(''),
});

function failure(tool: Pick<Tool, 'parse'>, payload: Payload): string {
  try {
    tool.parse(payload);
  } catch (error) {
    if (error instanceof ToolFailure) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('arguments of a function tool', () => {
  const accepted: readonly (readonly [what: string, payload: Payload, input: unknown])[] = [
    ['as they are', functionCall({ query: 'a', limit: 2 }), { query: 'a', limit: 2 }],
    ['under an alias', functionCall({ q: 'a', max: 2 }), { query: 'a', limit: 2 }],
    ['the real name wins over an alias', functionCall({ q: 'alias', query: 'real' }), { query: 'real' }],
    ['a number as text', functionCall({ query: 'a', limit: '2' }), { query: 'a', limit: 2 }],
    ['a boolean as text', functionCall({ query: 'a', deep: 'true' }), { query: 'a', deep: true }],
    ['text as a number', functionCall({ query: 5 }), { query: '5' }],
    ['a list as text', functionCall({ query: 'a', kinds: '["x"]' }), { query: 'a', kinds: ['x'] }],
    ['null for something optional', functionCall({ query: 'a', limit: null }), { query: 'a' }],
    ['an alias when the real name says nothing', functionCall({ query: null, q: 'alias' }), { query: 'alias' }],
    ['unknown fields are left out', functionCall({ query: 'a', more: 1 }), { query: 'a' }],
    ['encoded twice', functionCall(JSON.stringify(JSON.stringify({ query: 'a' }))), { query: 'a' }],
    ['a custom call with JSON', { kind: 'custom', input: '{"query":"a"}' }, { query: 'a' }],
    ['a custom call with the one text it needs', { kind: 'custom', input: 'look here' }, { query: 'look here' }],
  ];

  test.each(accepted)('accepted: %s', (_, payload, input) => {
    expect(search.parse(payload)).toEqual(input);
  });

  const shape =
    'Send a JSON object: {query: string, deep?: boolean, kinds?: string[], limit?: number, order?: "up" | "down"}.';
  const refused: readonly (readonly [what: string, payload: Payload, problem: string])[] = [
    ['nothing at all', functionCall(''), 'missing field `query`'],
    ['a missing field', functionCall('{}'), 'missing field `query`'],
    ['null for something required', functionCall({ query: null }), 'missing field `query`'],
    ['a wrong type', functionCall({ query: ['a'] }), 'invalid type: a list, expected a string at `query`'],
    [
      'a word that is no number',
      functionCall({ query: 'a', limit: 'many' }),
      'invalid type: string "many", expected a number at `limit`',
    ],
    [
      'more digits than a number holds',
      functionCall({ query: 'a', limit: '12345678901234567890' }),
      'invalid type: string "12345678901234567890", expected a number at `limit`',
    ],
    [
      'a number that text could not give back',
      functionCall('{"query": 12345678901234567890}'),
      'invalid type: integer `12345678901234567000`, expected a string at `query`',
    ],
    [
      'a word that every object knows',
      functionCall({ query: 'a', deep: 'constructor' }),
      'invalid type: string "constructor", expected a boolean at `deep`',
    ],
    [
      'a fraction',
      functionCall({ query: 'a', limit: 1.5 }),
      'invalid type: number `1.5`, expected an integer at `limit`',
    ],
    [
      'too small a number',
      functionCall({ query: 'a', limit: 0 }),
      'integer `0` is too small, the least is 1 at `limit`',
    ],
    [
      'an unknown variant',
      functionCall({ query: 'a', order: 'side' }),
      'unknown variant `side`, expected one of `up`, `down` at `order`',
    ],
    ['a list in place of an object', functionCall('[1]'), 'invalid type: a list, expected an object'],
    ['null in place of an object', functionCall('null'), 'invalid type: null, expected an object'],
  ];

  test.each(refused)('refused: %s', (_, payload, problem) => {
    expect(failure(search, payload)).toBe(`failed to parse function arguments: ${problem}. ${shape}`);
  });

  test('refused: text that is not JSON', () => {
    expect(failure(search, functionCall('{"query": "a'))).toMatch(
      /^failed to parse function arguments: invalid JSON: .+\. Send a JSON object: /,
    );
  });

  test('refused: a native shell call', () => {
    expect(failure(search, { kind: 'local_shell', argv: ['ls'] })).toMatch(
      /^search handler received unsupported payload: a native shell call\. It takes \{query: string/,
    );
  });

  test('any text either gives an input or a message that begins as models know it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ query: value, limit: value })),
        ),
        (text) => {
          try {
            expect(typeof search.parse(functionCall(text)).query).toBe('string');
          } catch (error) {
            expect(error).toBeInstanceOf(ToolFailure);
            expect((error as Error).message).toMatch(/^failed to parse function arguments: /);
          }
        },
      ),
      propertyRuns(1_000),
    );
  });
});

describe('text of a freeform tool', () => {
  test.each<readonly [string, Payload]>([
    ['a custom call', { kind: 'custom', input: 'hello' }],
    ['a function call with input', functionCall({ input: 'hello' })],
    ['a function call with a name the tool knows', functionCall({ text: 'hello' })],
    ['a function call with a JSON string', functionCall('"hello"')],
    ['a function call with bare text', functionCall('hello')],
  ])('comes from %s', (_, payload) => {
    expect(note.parse(payload)).toBe('hello');
  });

  test('a function call without it is explained', () => {
    expect(failure(note, functionCall({ other: 1 }))).toBe(
      'failed to parse function arguments: missing field `input`. note takes free text: send it as {"input": "…"}.',
    );
  });

  test('a native shell call is refused', () => {
    expect(failure(note, { kind: 'local_shell', argv: ['ls'] })).toBe(
      'note handler received unsupported payload: a native shell call. It takes free text.',
    );
  });
});

test('a tool whose schema is made later may have the name of what every object has', () => {
  const tool = defineTool({
    name: 'constructor',
    description: 'Constructs.',
    input: () => object({ what: string() }),
    intent: () => ({ effects: [] }),
    run: ({ what }) => textOutput(what),
  });
  expect(tool.spec).toMatchObject({ parameters: { type: 'object', required: ['what'] } });
});

test('the full flavour of zod defines a tool just as well', () => {
  const tool = defineTool({
    name: 'greet',
    description: 'Greets.',
    input: fullObject({ name: fullString().describe('Whom.'), style: fullString().default('plain') }),
    intent: () => ({ effects: [] }),
    run: ({ name, style }) => textOutput(`${name} ${style}`),
  });
  expect(tool.spec).toEqual({
    kind: 'function',
    name: 'greet',
    description: 'Greets.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Whom.' }, style: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
  });
  expect(tool.parse(functionCall({ name: 'Ada' }))).toEqual({ name: 'Ada', style: 'plain' });
});
