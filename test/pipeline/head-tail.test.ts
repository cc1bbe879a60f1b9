import fc from 'fast-check';
import { expect, test } from 'vitest';

import { HEAD_BYTES, TAIL_BYTES, createHeadTail } from '../../src/pipeline/head-tail.js';
import { propertyRuns } from '../support/property-runs.js';

test('the first and last bytes of any stream are kept exactly, however it is cut into chunks', () => {
  const sizes = fc.array(
    fc.oneof(fc.nat(50), fc.nat(200_000), fc.constantFrom(HEAD_BYTES, TAIL_BYTES, TAIL_BYTES + 1)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(sizes, (chunkSizes) => {
      const all = Buffer.alloc(chunkSizes.reduce((sum, size) => sum + size, 0));
      for (let index = 0; index < all.length; index += 1) all[index] = (index * 31 + (index >> 8)) & 0xff;
      const ends = createHeadTail();
      let from = 0;
      for (const size of chunkSizes) {
        ends.write(all.subarray(from, from + size));
        from += size;
      }
      const tailLength = Math.min(TAIL_BYTES, Math.max(0, all.length - HEAD_BYTES));
      expect(ends.bytes).toBe(all.length);
      expect(ends.head().equals(all.subarray(0, HEAD_BYTES))).toBe(true);
      expect(ends.tail().equals(all.subarray(all.length - tailLength))).toBe(true);
    }),
    propertyRuns(100),
  );
});
