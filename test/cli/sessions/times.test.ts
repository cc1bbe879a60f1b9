import { expect, test } from 'vitest';

import { localTime, readTime } from '../../../src/cli/sessions/times.js';

const NOW = new Date('2026-03-10T12:00:00Z');

test.each([
  ['30m', '2026-03-10T11:30:00.000Z'],
  ['3h', '2026-03-10T09:00:00.000Z'],
  ['2d', '2026-03-08T12:00:00.000Z'],
  ['1w', '2026-03-03T12:00:00.000Z'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00+02:00', '2026-01-31T10:00:00.000Z'],
])('%s is %s', (text, iso) => {
  expect(readTime(text, '--since', NOW).toISOString()).toBe(iso);
});

test('a day begins at midnight where the user is, and so does a time without a zone', () => {
  expect(readTime('2026-01-31', '--since')).toEqual(new Date(2026, 0, 31));
  expect(readTime('2026-01-31T08:30', '--since')).toEqual(new Date(2026, 0, 31, 8, 30));
});

test.each(['', '2', 'd', '-2d', '2y', 'yesterday', '2026-13-01', '31.1.2026', '2026-01-31 12:00', '9999999d'])(
  '%j is no time',
  (text) => {
    expect(() => readTime(text, '--since')).toThrow(`--since ${text}: write it as 2026-01-31, `);
  },
);

test('a time is shown to the minute, where the user is', () => {
  expect(localTime(new Date(2026, 0, 5, 7, 8, 59).toISOString())).toBe('2026-01-05 07:08');
  expect(localTime('some day')).toBe('some day');
});
