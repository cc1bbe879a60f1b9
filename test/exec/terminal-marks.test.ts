import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createMarkReader, markBytes, markPrefix } from '../../src/exec/terminal-marks.js';
import { propertyRuns } from '../support/property-runs.js';

const prefix = markPrefix('123456789');

function read(chunks: readonly Buffer[]) {
  const heard: (string | number)[] = [];
  const reader = createMarkReader(prefix, {
    onOutput: (chunk) => void heard.push(chunk.toString('latin1')),
    onMark: (number) => void heard.push(number),
  });
  for (const chunk of chunks) reader.write(chunk);
  reader.end();
  return heard;
}

/** Neighbouring texts joined, so that only the order of texts and marks counts. */
function joined(heard: readonly (string | number)[]): readonly (string | number)[] {
  const all: (string | number)[] = [];
  for (const each of heard) {
    const last = all.at(-1);
    if (typeof each === 'string' && typeof last === 'string') all.splice(-1, 1, last + each);
    else all.push(each);
  }
  return all;
}

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('\u001b', '\u001b]', '\u001b]7731;', '\u001b]7731;12345678', '\u0007', '\u001b[31m'),
  // Half a mark that never goes on.
  fc.constant(prefix.subarray(0, -1).toString('latin1')),
);

test('marks are found between the output, wherever it is cut, and nothing else is taken away', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(text, fc.nat({ max: 99_999 })), { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 10 }),
      (parts, places) => {
        const bytes = Buffer.concat(
          parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : markBytes(prefix, part))),
        );
        const expected = parts
          .map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8').toString('latin1') : part))
          .filter((part) => part !== '');
        expect(joined(read(cut(bytes, places)))).toEqual(joined(expected));
      },
    ),
    propertyRuns(1_000),
  );
});

test('output that only looks like a mark so far is not held back for ever', () => {
  const endless = Buffer.concat([prefix, Buffer.alloc(100, '1')]);
  expect(joined(read([endless]))).toEqual([endless.toString('latin1')]);
});
