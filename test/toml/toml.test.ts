import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';

import { findPlace } from '../../src/toml/find-place.js';
import { keyText, parseKey } from '../../src/toml/key.js';
import { lineIndex } from '../../src/toml/line-index.js';
import { scanToml } from '../../src/toml/scan-toml.js';
import { setTomlValue } from '../../src/toml/set-value.js';
import { allEntries } from '../../src/toml/toml-table.js';
import { propertyRuns } from '../support/property-runs.js';
import { anyToml } from './any-toml.js';

type Tree = { [key: string]: unknown };

function valueAt(tree: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((node, step) => (node as Tree | undefined)?.[step], tree);
}

function withValue(tree: unknown, [key, ...deeper]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return { ...(tree as Tree), [key]: withValue((tree as Tree | undefined)?.[key] ?? {}, deeper, value) };
}

const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

describe('scanToml', () => {
  test('finds tables, keys and values, also inside of inline tables and lists', () => {
    const text = '\uFEFFa.b = 1 # c\n[[t]]\nx = { y = [2, { z = "]" }] }\n[t.u]\n[[t]]\n';
    const read = scanToml(text).map(({ path, isListed, entries }) => ({
      path,
      isListed,
      entries: allEntries([{ path, isListed, entries, header: { start: 0, end: 0 } }]).map((entry) => [
        entry.path.join('/'),
        text.slice(entry.value.start, entry.value.end),
      ]),
    }));
    expect(read).toEqual([
      { path: [], isListed: false, entries: [['a/b', '1']] },
      {
        path: ['t', 0],
        isListed: true,
        entries: [
          ['t/0/x', '{ y = [2, { z = "]" }] }'],
          ['t/0/x/y', '[2, { z = "]" }]'],
          ['t/0/x/y/0', '2'],
          ['t/0/x/y/1', '{ z = "]" }'],
          ['t/0/x/y/1/z', '"]"'],
        ],
      },
      { path: ['t', 0, 'u'], isListed: false, entries: [] },
      { path: ['t', 1], isListed: true, entries: [] },
    ]);
  });

  test('property: every value is found where it stands, and none is missed', () => {
    fc.assert(
      fc.property(anyToml, (text) => {
        const tree = parse(text);
        const entries = allEntries(scanToml(text));
        for (const { path, value } of entries)
          expect(parse(`v = ${text.slice(value.start, value.end)}`)['v']).toEqual(valueAt(tree, path));
        const found = new Set(entries.map(({ path }) => JSON.stringify(path)));
        const leaves = (node: unknown, path: readonly (string | number)[]): readonly string[] =>
          isTable(node) && Object.keys(node as Tree).length > 0
            ? Object.entries(node as Tree).flatMap(([key, child]) => leaves(child, [...path, key]))
            : [JSON.stringify(path)];
        // An empty table may be nothing but a header.
        const headers = new Set(scanToml(text).map(({ path }) => JSON.stringify(path)));
        expect(leaves(tree, []).filter((path) => !found.has(path) && !headers.has(path))).toEqual([]);
      }),
      propertyRuns(150),
    );
  });

  test('a header that is cut off is the end', () => {
    expect(scanToml('[[a]').map(({ header }) => header)).toEqual([
      { start: 0, end: 0 },
      { start: 0, end: 4 },
    ]);
  });

  test('property: comes to an end with any text', () => {
    const piece = fc.constantFrom('[', ']', '{', '}', '"', "'", '"""', '=', '.', ',', '#', '\n', 'a', ' ', '\\');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          for (const { key, value } of allEntries(scanToml(text)))
            expect(key.start <= key.end && key.end <= value.start && value.end <= text.length).toBe(true);
        },
      ),
      propertyRuns(300),
    );
  });
});

describe('findPlace', () => {
  const text = 'a.b = 1\n[t]\nx = { y = 2 }\n[u.v]\nz = 3\n';
  const shown = (...path: string[]) => {
    const place = findPlace(scanToml(text), path);
    const at = place && lineIndex(text)((place.value ?? place.key).start);
    return at && `${at.line}:${at.column}`;
  };

  test.each([
    ['an entry', ['a', 'b'], '1:7'],
    ['a value in an inline table', ['t', 'x', 'y'], '3:11'],
    ['a table by its header', ['t'], '2:1'],
    ['a table by the first below it', ['u'], '4:1'],
    ['a table by its first dotted key', ['a'], '1:1'],
    ['what is missing by what it would stand in', ['t', 'x', 'no', 'no'], '3:5'],
    ['nothing, if there is no trace of it', ['no'], undefined],
  ])('finds %s', (_, path, place) => {
    expect(shown(...path)).toBe(place);
  });
});

describe('keys', () => {
  test.each<readonly [string, readonly string[] | undefined]>([
    ['a', ['a']],
    ['a.b-c.d_1', ['a', 'b-c', 'd_1']],
    [' a . b ', ['a', 'b']],
    ['"x.y".z', ['x.y', 'z']],
    ["'it\\s'.z", ['it\\s', 'z']],
    ['"\\u0041\\x42\\e\\n\\U0001F600"', ['AB\u001B\n😀']],
    ['models.openai/gpt-5:x', ['models', 'openai/gpt-5:x']],
    ['', undefined],
    ['a.', undefined],
    ['.a', undefined],
    ['a..b', undefined],
    ['a b', undefined],
    ['a=b', undefined],
    ['"open', undefined],
    ['a\nb', undefined],
  ])('%j', (text, parts) => {
    expect(parseKey(text)).toEqual(parts);
  });

  test('property: any name can be written, for us and for the parser', () => {
    const name = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (path) => {
        expect(parseKey(keyText(path))).toEqual(path);
        expect(valueAt(parse(`${keyText(path)} = 1`), path)).toBe(1);
      }),
      propertyRuns(200),
    );
  });
});

describe('setTomlValue', () => {
  const cases: readonly (readonly [what: string, before: string, setting: string, after: string])[] = [
    [
      'replaces a value and keeps what is around it',
      '# top\na =  1  # one\nb = 2\n',
      'a = 3',
      '# top\na =  3  # one\nb = 2\n',
    ],
    ['replaces a list over several lines', 'a = [\n  1, # x\n]\nb = 1\n', 'a = [2]', 'a = [2]\nb = 1\n'],
    ['replaces a value of a table', 'a = 1\n[t]\na = 2\n', 't.a = 3', 'a = 1\n[t]\na = 3\n'],
    ['replaces inside of an inline table', 't = { a = 1, b = 2 } # x\n', 't.a = 3', 't = { a = 3, b = 2 } # x\n'],
    ['adds to an inline table', 't = { a = 1 }\n', 't.b = 2', 't = { a = 1, b = 2 }\n'],
    ['adds to an empty inline table', 't = {}\n', 't.b.c = 2', 't = { b.c = 2 }\n'],
    ['adds beside dotted keys', 't.a = 1\nx = 1\n', 't.b = 2', 't.a = 1\nt.b = 2\nx = 1\n'],
    [
      'adds to a table, as its last entry',
      '[t]\n  a = 1 # x\n\n# u\n[u]\n',
      't.b = 2',
      '[t]\n  a = 1 # x\n  b = 2\n\n# u\n[u]\n',
    ],
    ['adds to an empty table', '[t] # x\n[u]\n', 't.b = 2', '[t] # x\nb = 2\n[u]\n'],
    ['adds above all tables', '# file\n\n# t\n[t]\n', 'a = 1', '# file\n\na = 1\n\n# t\n[t]\n'],
    ['adds behind what stands above all tables', 'a = 1\n[t]\n', 'b = 2', 'a = 1\nb = 2\n[t]\n'],
    ['adds to an empty file', '', 'a = 1', 'a = 1\n'],
    ['adds a table', 'a = 1', 't."x.y".z = 2', 'a = 1\n\n[t."x.y"]\nz = 2\n'],
    ['adds a table to an empty file', '', 't.a = 1', '[t]\na = 1\n'],
    ['adds a table above one that is there', '[t.u]\na = 1\n', 't.b = 2', '[t.u]\na = 1\n\n[t]\nb = 2\n'],
    ['keeps line ends', '[t]\r\na = 1\r\n', 't.b = 2', '[t]\r\na = 1\r\nb = 2\r\n'],
    ['keeps the mark at the beginning', '\uFEFF[t]\n', 'a = 1', '\uFEFFa = 1\n\n[t]\n'],
  ];

  test.each(cases)('%s', (_, before, setting, after) => {
    const [key = '', value = ''] = setting.split(' = ');
    expect(setTomlValue(before, parseKey(key) ?? [], value)).toBe(after);
  });

  test('property: exactly that value changes, and no comment is lost', () => {
    const name = fc.constantFrom('a', 'b', 'c-d', 'x.y', 'new');
    const path = fc.array(name, { minLength: 1, maxLength: 3 });
    const value = fc.constantFrom('5', '"new"', '[1, 2]', '{ k = 1 }');
    fc.assert(
      fc.property(anyToml, path, value, (text, key, literal) => {
        const tree = parse(text);
        const holders = key.map((_, index) => valueAt(tree, key.slice(0, index)));
        fc.pre(holders.every((holder) => holder === undefined || isTable(holder)));
        fc.pre(!isTable(valueAt(tree, key)));
        const after = setTomlValue(text, key, literal);
        expect(parse(after)).toEqual(withValue(tree, key, parse(`v = ${literal}`)['v']));
        const comments = (toml: string) => toml.match(/# (about|and|so|a table)/g)?.length ?? 0;
        expect(comments(after)).toBe(comments(text));
      }),
      propertyRuns(300),
    );
  });
});
