import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readRipgrep } from '../../src/search/read-ripgrep.js';
import { propertyRuns } from '../support/property-runs.js';

const read = (printed: string) =>
  readRipgrep(Buffer.from(printed), 'content').files.map(({ path, matches, lines }) => ({
    path,
    matches,
    lines: lines.map((line) => `${line.number}${line.matches ? ':' : '-'}${Buffer.from(line.text()).toString()}`),
  }));

describe('what ripgrep printed', () => {
  test('is read by file and line', () => {
    expect(read('./a\x001:x\n./a\x002-y\r\n./b/c\x007::z\n')).toEqual([
      { path: 'a', matches: 1, lines: ['1:x', '2-y'] },
      { path: 'b/c', matches: 1, lines: ['7::z'] },
    ]);
  });

  test('may have names with line ends, colons and digits in them', () => {
    expect(read('./a\n1:b\x003:x\n./a\n1:b\x004:y\n')).toEqual([{ path: 'a\n1:b', matches: 2, lines: ['3:x', '4:y'] }]);
  });

  test('may have names that are no UTF-8', () => {
    const printed = Buffer.from('./\xff\xfe\x001:x\n./\xff\xfe\x002:y\n', 'latin1');
    expect(readRipgrep(printed, 'content').files.map(({ path, matches }) => [path, matches])).toEqual([
      ['\ufffd\ufffd', 2],
    ]);
  });

  test('may end in the middle of a line, which is left out', () => {
    expect(read('./a\x001:x\n./a\x002:y')).toEqual([{ path: 'a', matches: 1, lines: ['1:x'] }]);
  });

  test('tells of binary files between the lines', () => {
    const stopped = './a: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n';
    const matches = './c: binary file matches (found "\\0" byte around offset 9)\n';
    const printed = readRipgrep(Buffer.from(`./a\x001:x\n${stopped}./b\x002:y\n${matches}`), 'content');
    expect(printed.files.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(printed.binary).toEqual(['c']);
  });

  test('is a number for each file, or only their names', () => {
    const files = (printed: string, output: 'count' | 'files') =>
      readRipgrep(Buffer.from(printed), output).files.map(({ path, matches }) => [path, matches]);
    expect(files('./a\x003\r\n./b\x001\n', 'count')).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
    expect(files('./a\x00./b\nc\x00./cut', 'files')).toEqual([
      ['a', 1],
      ['b\nc', 1],
    ]);
  });

  test('is never too strange to be read', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.constantFrom(0, 10, 49, 58, 97, 255), { maxLength: 40 }).map((each) => Uint8Array.from(each)),
      fc
        .string({ unit: fc.constantFrom('\0', '\n', '\r', '1', ':', '-', 'a', './', ' (found ', '\xff') })
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, fc.constantFrom('content', 'count', 'files'), (printed, output) => {
        for (const file of readRipgrep(Buffer.from(printed), output).files) expect(file.matches).toBeGreaterThan(0);
      }),
      propertyRuns(2_000),
    );
  });

  test('comes back whole, and up to the last line that is complete when it was cut anywhere', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', '\n', ':', '1', '-', 'é', '/'), minLength: 1 })
      .map((text) => `./${text}x`);
    const line = fc.record({
      number: fc.nat(100_000),
      mark: fc.constantFrom(':', '-'),
      text: fc.string({ unit: fc.constantFrom('a', ':', '-', '1', 'é', ' ') }),
    });
    const printed = fc.array(fc.record({ name, line }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(printed, fc.nat(1_000), (any, cut) => {
        // What is printed of one file stays together.
        const records = any.toSorted((a, b) => (a.name < b.name ? -1 : 1));
        const texts = records.map((each) =>
          Buffer.from(`${each.name}\0${each.line.number}${each.line.mark}${each.line.text}\n`),
        );
        const whole = Buffer.concat(texts);
        const bytes = whole.subarray(0, cut % (whole.length + 1));
        let room = bytes.length;
        const complete = records.filter((_, index) => (room -= texts[index]?.length ?? 0) >= 0);
        const lines = readRipgrep(bytes, 'content').files.flatMap((file) => file.lines);
        const files = new Set(complete.filter((each) => each.line.mark === ':').map((each) => each.name));
        expect(lines.length).toBe(complete.filter((each) => files.has(each.name)).length);
      }),
      propertyRuns(500),
    );
  });
});
