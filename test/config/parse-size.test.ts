import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseSize } from '../../src/config/parse-size.js';
import { propertyRuns } from '../support/property-runs.js';

test.each<readonly [string, number | undefined]>([
  ['0', 0],
  ['4096', 4096],
  ['4096 bytes', 4096],
  ['12B', 12],
  ['1k', 1024],
  ['1KB', 1024],
  ['1.5 KiB', 1536],
  ['100MB', 104_857_600],
  [' 2 gb ', 2_147_483_648],
  ['1T', 1_099_511_627_776],
  ['', undefined],
  ['MB', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['1PB', undefined],
  ['10 MB more', undefined],
  ['9999999999 TB', undefined],
])('%j', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test('property: any text is a whole number of bytes, or no size', () => {
  const number = fc.tuple(fc.nat(), fc.constantFrom('', 'k', ' MB', 'GiB', 'TB', 'x')).map((pair) => pair.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), number), (text) => {
      const bytes = parseSize(text);
      expect(bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0)).toBe(true);
    }),
    propertyRuns(200),
  );
});
