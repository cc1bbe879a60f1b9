import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createCharacterJoiner } from '../../src/pipeline/whole-characters.js';
import { propertyRuns } from '../support/property-runs.js';

function joined(chunks: readonly Uint8Array[]): Buffer {
  const joiner = createCharacterJoiner();
  return Buffer.concat([...chunks.map((chunk) => joiner.write(chunk)), joiner.end()]);
}

test('text that is whole is given back as it is, without a copy', () => {
  const chunk = Buffer.from('plain, größer, 😀');
  expect(createCharacterJoiner().write(chunk)).toBe(chunk);
});

test('a character that is cut in two waits for its rest', () => {
  const joiner = createCharacterJoiner();
  const smile = Buffer.from('a😀b');
  const told = [smile.subarray(0, 2), smile.subarray(2, 4), smile.subarray(4)].map((chunk) =>
    Buffer.from(joiner.write(chunk)).toString(),
  );
  expect([...told, joiner.end().length]).toEqual(['a', '', '😀b', 0]);
});

test('a character that never gets its rest is replaced at the end', () => {
  const joiner = createCharacterJoiner();
  joiner.write(Buffer.from('😀').subarray(0, 3));
  expect(Buffer.from(joiner.end()).toString()).toBe('\ufffd');
});

test('what waits is not changed by a writer that uses its buffer again', () => {
  const joiner = createCharacterJoiner();
  const buffer = Buffer.from('é').subarray(0, 1);
  joiner.write(buffer);
  buffer.fill('x');
  expect(Buffer.from(joiner.write(Buffer.from('é').subarray(1))).toString()).toBe('é');
});

test('any bytes, however they are cut, become what a decoder makes of the whole, with a byte order mark kept', () => {
  const telling = fc.constantFrom(...Buffer.from('41808f909fa0bbbfc0c2dfe0e2edeff0f4f5ff', 'hex'));
  const chunk = fc.oneof(
    fc.array(fc.oneof(telling, fc.nat(255)), { maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => Buffer.from(text)),
    fc.constant(Buffer.from('\ufeff')),
  );
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
      const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks));
      expect(joined(chunks)).toEqual(Buffer.from(decoded));
    }),
    propertyRuns(600, 200_000),
  );
});
