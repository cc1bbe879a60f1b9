import { strictEqual, throws } from 'node:assert';
import { test } from 'node:test';

import { parseLine, parseSheet } from '../src/parse.js';
import { inHours, minutesOf, totals } from '../src/totals.js';

test('work of a day is counted in minutes', () => {
  strictEqual(minutesOf(parseLine('mon 09:00-11:30 writing')), 150);
});

test('work that ends after midnight counts too', () => {
  strictEqual(minutesOf(parseLine('tue 22:00-01:30 deploying')), 210);
});

test('the same work on two days is added up', () => {
  const sums = totals(parseSheet('mon 09:00-11:30 writing\nwed 09:30-10:30 writing\n'));
  strictEqual(inHours(sums.get('writing')), '3h 30m');
});

test('a line that is none is refused', () => {
  throws(() => parseLine('lunch'), /not a line of a timesheet/);
});
