import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createRedactor } from '../../src/core/redact.js';
import { propertyRuns } from '../support/property-runs.js';

const LONG = 'sk-proj-abcdefghijklmnopqrstuvwxyz';

test.each([
  ['whole', `key ${LONG}.`, 'key (hidden).'],
  ['twice', `${LONG}${LONG}`, '(hidden)(hidden)'],
  ['cut off', `key ${LONG.slice(0, 16)}… is bad`, 'key (hidden)… is bad'],
  ['masked by the server', 'key sk-proj-****wxyz', 'key sk-proj-****wxyz'],
  ['short and alone', 'test: latest test', '(hidden): latest (hidden)'],
  ['too short to be one', 'abc', 'abc'],
])('a secret that is %s', (_, text, shown) => {
  expect(createRedactor([LONG, 'test', 'abc', ''])(text)).toBe(shown);
});

test('no secret comes through, whatever is around it and however it is encoded', () => {
  const secret = fc.string({ minLength: 8, maxLength: 40 });
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      fc.pre(!'(hidden)'.includes(value));
      for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString('base64')]) {
        const shown = createRedactor([value])(`${before}${form}${after}`);
        expect(shown).toContain('(hidden)');
        expect(shown).not.toContain(form);
      }
    }),
    propertyRuns(300),
  );
});

test('text without secrets stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(createRedactor(['0123456789abcdefghijklmnop'])(text)).toBe(text);
    }),
    propertyRuns(100),
  );
});
