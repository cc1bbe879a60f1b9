import fc from 'fast-check';
import { expect, test } from 'vitest';

import { retryAfterMs } from '../../src/model/retry-after.js';
import { propertyRuns } from '../support/property-runs.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' }, 3000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('%j is %s', (headers, ms) => {
  expect(retryAfterMs(headers, NOW)).toBe(ms);
});

test('any words are a time that is not negative, or none', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (ms, text) => {
      const wait = retryAfterMs({ 'retry-after-ms': ms, 'retry-after': text }, NOW) ?? 0;
      expect(wait >= 0 && Number.isFinite(wait)).toBe(true);
    }),
    propertyRuns(200),
  );
});
