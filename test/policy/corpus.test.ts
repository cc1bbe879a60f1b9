import { describe, expect, test } from 'vitest';

import { corpus } from '../support/corpus.js';
import { CONTEXT, verdictOn } from '../support/policy.js';

test('the corpus is large, and says one thing about each line', () => {
  const all = Object.values(corpus).flat();
  const twice = all.filter((line, index) => all.indexOf(line) !== index);
  expect(twice).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(320);
  expect(Object.values(corpus).every((each) => each.length >= 50)).toBe(true);
});

describe.each(Object.entries(corpus))('%s', (expected, commands) => {
  test('each line of the corpus is judged as it says', () => {
    const told = commands.map((line) => `${classOf(line)}: ${line}`);
    expect(told).toEqual(commands.map((line) => `${expected}: ${line}`));
  });
});

test('a script too long to be read is unclear', () => {
  expect(classOf(`ls "$x" ${'a '.repeat(20_000)}`)).toBe('unclear');
});

/** What becomes of a line under the policies that make the difference. */
function classOf(line: string): keyof typeof corpus {
  if (verdictOn(line).kind === 'ask') return 'danger';
  const careful = verdictOn(line, { ...CONTEXT, approvalPolicy: 'untrusted' });
  if (careful.kind === 'allow') return 'safe';
  return careful.findings?.some(({ kind }) => kind === 'unclear') ? 'unclear' : 'plain';
}
