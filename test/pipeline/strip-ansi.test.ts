import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createAnsiStripper } from '../../src/pipeline/strip-ansi.js';
import { propertyRuns } from '../support/property-runs.js';

function stripped(...chunks: readonly Uint8Array[]): Buffer {
  const stripper = createAnsiStripper();
  return Buffer.concat([...chunks.map((chunk) => stripper.write(chunk)), stripper.end()]);
}

const longString = `\x1b]${'x'.repeat(4_093)}`;
const longCsi = `\x1b[${'1'.repeat(253)}`;

describe('of what is printed', () => {
  test.each<readonly [string, string, string]>([
    ['colours go', '\x1b[1;31mred\x1b[0m plain \x1b[38:2::1:2:3mtrue\x1b[m', 'red plain true'],
    ['cursor movement goes', 'a\x1b[2K\x1b[1G\x1b[?25lb\x1b[6 q\x1b[>4;2mc', 'abc'],
    ['titles go', '\x1b]0;title\x07a\x1b]2;title\x1b\\b', 'ab'],
    ['links go and leave their text', '\x1b]8;;http://a.b/\x1b\\text\x1b]8;;\x1b\\.', 'text.'],
    ['a text in a title goes, in any script', '\x1b]0;größe 😀\x07a', 'a'],
    [
      'device strings go, and a bell does not end them',
      '\x1bPq#0\x07~\x1b\\a\x1bXs\x1b\\b\x1b^p\x1b\\c\x1b_g\x1b\\d',
      'abcd',
    ],
    ['short escapes go', '\x1b7a\x1b8\x1bMb\x1b=c\x1bcd\x1b\\', 'abcd'],
    ['character sets go', '\x1b(Ba\x1b)0b\x1b#8c\x1b F\x1b $(Bd', 'abcd'],
    ['other control characters stay', 'a\r\n\tb\x07\b\x00\x7f\x18\x1ac', 'a\r\n\tb\x07\b\x00\x7f\x18\x1ac'],
    ['characters of any script stay', 'größer 😀\u009b31m', 'größer 😀\u009b31m'],
    ['control characters inside a CSI stay', 'a\x1b[3\n1\r;\x071mb', 'a\n\r\x07b'],
    ['a cancelled CSI goes', 'a\x1b[31\x18mb\x1b[31\x1amc', 'ambmc'],
    ['a cancelled title goes', 'a\x1b]0;t\x18b\x1b]0;t\x1ac', 'abc'],
    ['a cancelled escape goes', 'a\x1b\x18b\x1b(\x1ac', 'abc'],
    [
      'a sequence that begins inside another ends it',
      'a\x1b[3\x1b[31mb\x1b]0;t\x1b[0mc\x1b\x1b[0md\x1b(\x1b7e',
      'abcde',
    ],
    ['an ESC before what belongs to no sequence stays', 'a\x1b\nb\x1béc\x1b\x7fd', 'a\x1b\nb\x1béc\x1b\x7fd'],
    ['a CSI that meets what belongs to none stays', 'a\x1b[31éb\x1b[3\x7fmc', 'a\x1b[31éb\x1b[3\x7fmc'],
    ['a string without its end stays: the rest of the output may be in it', 'a\x1bXb\n', 'a\x1bXb\n'],
    ['a CSI without its end leaves its control characters', 'a\x1b[31\n;', 'a\n'],
    ['an ESC at the end goes', 'a\x1b', 'a'],
    ['a title of 4096 bytes goes', `${longString}\x07a`, 'a'],
    ['a longer one stays', `${longString}x\x07a`, `${longString}x\x07a`],
    ['what follows a longer one is read as ever', `${longString}xx\x1b[31ma`, `${longString}xxa`],
    ['a CSI of 256 bytes goes', `${longCsi}ma`, 'a'],
    ['a longer CSI stays, control characters in their places', `${longCsi}\n1ma`, `${longCsi}\n1ma`],
  ])('%s', (_, printed, expected) => {
    expect(stripped(Buffer.from(printed)).toString()).toBe(expected);
  });
});

test('a chunk without escapes is given back as it is, without a copy', () => {
  const stripper = createAnsiStripper();
  const chunk = Buffer.from('plain');
  stripper.write(Buffer.from('\x1b[31mred\x1b[0m'));
  expect(stripper.write(chunk)).toBe(chunk);
});

test('a chunk is never changed', () => {
  const chunk = Buffer.from('a\x1b[31mb\x1b[3');
  stripped(chunk, chunk);
  expect(chunk.toString()).toBe('a\x1b[31mb\x1b[3');
});

const between = (first: number, last: number) => fc.integer({ min: first, max: last });
const bytesOf = (byte: fc.Arbitrary<number>) => fc.array(byte, { maxLength: 8 }).map((bytes) => Buffer.from(bytes));
const inARow = (...parts: readonly fc.Arbitrary<Uint8Array>[]) => fc.tuple(...parts).map((row) => Buffer.concat(row));
const oneOf = (...texts: readonly string[]) => fc.constantFrom(...texts.map((text) => Buffer.from(text)));
const final = (first: number) => between(first, 0x7e).map((byte) => Buffer.from([byte]));

const plain = bytesOf(fc.nat(255).filter((byte) => byte !== 0x1b));
const inString = bytesOf(fc.nat(255).filter((byte) => ![0x07, 0x18, 0x1a, 0x1b].includes(byte)));
const sequence = fc.oneof(
  inARow(oneOf('\x1b['), bytesOf(between(0x30, 0x3f)), bytesOf(between(0x20, 0x2f)), final(0x40)),
  inARow(oneOf('\x1b]'), inString, oneOf('\x07', '\x1b\\')),
  inARow(oneOf('\x1bP', '\x1bX', '\x1b^', '\x1b_'), inString, oneOf('\x1b\\')),
  inARow(oneOf('\x1b', '\x1b ', '\x1b('), bytesOf(between(0x20, 0x2f)), final(0x30)).filter(
    ([, second = 0]) => !Buffer.from('[]PX^_').includes(second),
  ),
);

test('well-formed sequences go wherever they stand, and the text around them stays to the byte', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ text: plain, sequence }), { maxLength: 8 }), (parts) => {
      const printed = Buffer.concat(parts.flatMap((part) => [part.text, part.sequence]));
      expect(stripped(printed)).toEqual(Buffer.concat(parts.map((part) => part.text)));
    }),
    propertyRuns(1_000),
  );
});

test('text without escapes is the same bytes, however it is cut', () => {
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 8 }), (chunks) => {
      expect(stripped(...chunks)).toEqual(Buffer.concat(chunks));
    }),
    propertyRuns(200),
  );
});

test('it does not matter where an output is cut', () => {
  const telling = fc.constantFrom(...Buffer.from('\x1b\x1b\x1b[]P_\\\x07\x18\x1a\n\x7f 01;(mAé'));
  const part = fc.oneof(
    bytesOf(fc.oneof(telling, fc.nat(255))),
    sequence,
    oneOf(longString, longCsi, longString.slice(0, -1), longCsi.slice(0, -1)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
      const printed = Buffer.concat(parts);
      expect(stripped(...cut(printed, places)).equals(stripped(printed))).toBe(true);
    }),
    propertyRuns(1_000),
  );
});

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return borders.map((border, index) => bytes.subarray(border, borders[index + 1] ?? bytes.length));
}
