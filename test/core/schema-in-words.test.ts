import { expect, test } from 'vitest';

import { schemaInWords } from '../../src/core/schema-in-words.js';

test('a schema for the answer is told as what the last message has to be', () => {
  expect(schemaInWords({ name: 'answer', schema: { type: 'object', required: ['a'] }, strict: true })).toBe(
    'Your last message must be JSON and nothing else, and follow this schema:\n{"type":"object","required":["a"]}',
  );
});
