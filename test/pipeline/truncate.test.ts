import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { countLines, truncateMiddle, wholeText } from '../../src/pipeline/truncate.js';
import { propertyRuns } from '../support/property-runs.js';

const text = (value: string) => wholeText(Buffer.from(value));

describe('truncateMiddle', () => {
  test('keeps whole characters on both sides and counts the characters between', () => {
    const input = `${'😀'.repeat(10)}\nsecond line with text\n`;
    expect(truncateMiddle(text(input), { unit: 'bytes', amount: 20 })).toBe('😀😀…21 chars truncated…with text\n');
  });

  test('counts tokens as four bytes, rounded up', () => {
    expect(truncateMiddle(text('abcdef'), { unit: 'tokens', amount: 0 })).toBe('…2 tokens truncated…');
    expect(truncateMiddle(text('0123456789abcdef!'), { unit: 'tokens', amount: 2 })).toBe(
      '0123…3 tokens truncated…def!',
    );
  });

  test('speaks of tokens when the middle was already gone', () => {
    const ends = { head: Buffer.from('aaaaaaaa'), dropped: 100, tail: Buffer.from('zzzzzzzz') };
    expect(truncateMiddle(ends, { unit: 'bytes', amount: 8 })).toBe('aaaa…27 tokens truncated…zzzz');
  });

  test('never cuts inside a character, keeps to the budget, and what it keeps are the two ends', () => {
    const inputs = fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), fc.nat(400));
    fc.assert(
      fc.property(inputs, ([input, amount]) => {
        const bytes = Buffer.from(input);
        fc.pre(bytes.length > amount && !input.includes('…'));
        const cut = truncateMiddle(wholeText(bytes), { unit: 'bytes', amount });
        const [, head = '', count, tail = ''] = /^(.*)…(\d+) chars truncated…(.*)$/su.exec(cut) ?? [];
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(amount);
        expect(bytes.toString().startsWith(head)).toBe(true);
        expect(bytes.toString().endsWith(tail)).toBe(true);
        expect([...head].length + Number(count) + [...tail].length).toBe([...bytes.toString()].length);
      }),
      propertyRuns(400, 100_000),
    );
  });
});

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['\n', 1],
  ['a\nb', 2],
])('%j has %i lines', (input, lines) => {
  expect(countLines(Buffer.from(input))).toBe(lines);
});
