import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createEffort, isSpent } from '../../src/search/effort.js';
import { readIgnoreFile, verdictOf } from '../../src/search/ignore-file.js';
import { propertyRuns } from '../support/property-runs.js';

const read = (text: string) => {
  const { rules, whole } = readIgnoreFile(text, createEffort());
  return { count: rules.length, whole };
};

describe('of an ignore file', () => {
  test('ten thousand rules are used', () => {
    expect(read('b\n'.repeat(10_000))).toEqual({ count: 10_000, whole: true });
    expect(read('b\n'.repeat(10_001))).toEqual({ count: 10_000, whole: false });
  });

  test('braces count as what they stand for, and a rule of too many is passed over', () => {
    expect(read('{a,b}\n'.repeat(5_001))).toEqual({ count: 5_000, whole: false });
    expect(read(`${'{a,b}'.repeat(6)}\nc`)).toEqual({ count: 2, whole: true });
    expect(read(`${'{a,b}'.repeat(7)}\nc`)).toEqual({ count: 1, whole: false });
  });

  test('a rule that is too long is passed over, a note is not', () => {
    expect(read(`!${'a'.repeat(4_096)}/\nb\n`)).toEqual({ count: 2, whole: true });
    expect(read(`!${'a'.repeat(4_097)}/\nb\n`)).toEqual({ count: 1, whole: false });
    expect(read(`#${'a'.repeat(10_000)}\nb\n`)).toEqual({ count: 1, whole: true });
  });

  test('a rule that is none is passed over, and nothing is missed', () => {
    expect(read('[\n{a\na}\n\\\nb\n')).toEqual({ count: 1, whole: true });
  });
});

test('a verdict is the one that all the rules have, or none when the effort is spent', () => {
  const piece = fc.constantFrom('*', 'a', 'b', '?', '[ab]', '{a,b}', '/', '!', '**/');
  const rule = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  const rules = fc.array(rule, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));
  const names = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(rules, names, fc.nat(300), (text, path, left) => {
      const file = readIgnoreFile(text, createEffort());
      const asked = { path: path.join('/'), name: path.at(-1) ?? '', isFolder: false };
      const effort = { left };
      const verdict = verdictOf(file, asked, effort);
      expect(verdict).toBe(isSpent(effort) ? undefined : verdictOf(file, asked, createEffort()));
    }),
    propertyRuns(1_000),
  );
});
