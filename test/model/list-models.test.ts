import { expect, test } from 'vitest';

import { modelNames } from '../../src/model/list-models.js';

test('names that nobody could mean are left out of a list', () => {
  const data = [
    { id: 'x'.repeat(201) },
    { id: 'gpt-oss' },
    ...Array.from({ length: 20_000 }, (_, id) => ({ id: `m${id}` })),
  ];
  const names = modelNames(JSON.stringify({ data }));
  expect([names?.[0], names?.length]).toEqual(['gpt-oss', 9_999]);
});
