import fc from 'fast-check';
import { expect, test } from 'vitest';

import { KEPT, NOTHING_PRINTED, printMore, printedText } from '../../../src/cli/exec/printed.js';
import { propertyRuns } from '../../support/property-runs.js';

function printAll(pieces: readonly string[]): string {
  return printedText(pieces.reduce((before, piece) => printMore(before, piece), NOTHING_PRINTED));
}

test('what fits is kept as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      expect(printAll(pieces)).toBe(pieces.join(''));
    }),
    propertyRuns(100),
  );
  const most = 'x'.repeat(2 * KEPT);
  expect(printAll([most]) === most).toBe(true);
});

test('of more than that both ends are kept, however it came, and how much is missing is said', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: KEPT }), { minLength: 4, maxLength: 12 }), (lengths) => {
      const whole = lengths.map((length, index) => String.fromCodePoint(97 + index).repeat(length)).join('');
      let from = 0;
      const pieces = lengths.map((length) => whole.slice(from, (from += length)));
      const shown = printAll(pieces);
      const lost = whole.length - 2 * KEPT;
      const expected =
        lost <= 0
          ? whole
          : `${whole.slice(0, KEPT)}\n[… ${lost} character${lost === 1 ? '' : 's'} left out …]\n${whole.slice(-KEPT)}`;
      expect(shown === expected).toBe(true);
    }),
    propertyRuns(10),
  );
});

test('no character is cut in half', () => {
  const shown = printAll(Array.from({ length: 9 }, (_, index) => `${'x'.repeat(index % 2)}${'🪚'.repeat(KEPT / 4)}`));
  expect(/\p{Surrogate}/u.test(shown)).toBe(false);
});
