import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createEffort } from '../../src/search/effort.js';
import { expandBraces, splitAtCommas } from '../../src/search/expand-braces.js';
import { readFilePattern } from '../../src/search/file-pattern.js';
import { compileGlob, compileNameGlob } from '../../src/search/glob.js';
import { propertyRuns } from '../support/property-runs.js';

const textsOf = (glob: string) => {
  const expanded = expandBraces(glob, 1_000, createEffort());
  return expanded.kind === 'texts' ? expanded.texts : undefined;
};
const compile = (glob: string) => compileGlob(textsOf(glob) ?? ['[']);
const compileName = (glob: string) => compileNameGlob(textsOf(glob) ?? ['[']);
const holds = (glob: string, path: string) => compile(glob)?.(path.split('/'), createEffort());

describe('a glob', () => {
  test.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/**/*.ts', 'lib/a.ts', false],
    ['src/**', 'src', false],
    ['src/**', 'src/x/y', true],
    ['a/**/b/**/c', 'a/b/x/b/c', true],
    ['a/**/b/**/c', 'a/x/c', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['?', '𝒳', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a]x', 'bx', true],
    ['[]]', ']', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['*.{js,ts}', 'a.ts', true],
    ['{a,b{c,d}}e', 'bde', true],
    ['{a/b,c}/d', 'a/b/d', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b', 'xxbxxa', false],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(holds(glob, path)).toBe(expected);
  });

  test.each(['[', '[a', '{a', 'a}', 'a\\', '[z-a]'])('%s is none', (text) => {
    expect(compile(text)).toBeUndefined();
    expect(compileName(text)).toBeUndefined();
  });

  test('of very many stars or braces is no trap', () => {
    expect(compileName(`${'*a'.repeat(100)}b`)?.('a'.repeat(250), createEffort())).toBe(false);
    expect(holds(`${'**/a/'.repeat(50)}b`, 'a/'.repeat(200))).toBe(false);
    expect(compile('{a,b}'.repeat(30))).toBeUndefined();
  });

  test('of any text is a glob or none, and holds for any path or not', () => {
    const wild = fc.string({
      unit: fc.constantFrom('a', 'b', '*', '?', '[', ']', '{', '}', ',', '!', '-', '/', '\\', '𝒳'),
    });
    fc.assert(
      fc.property(wild, wild, (glob, path) => {
        expect(['boolean', 'undefined']).toContain(typeof holds(glob, path));
      }),
      propertyRuns(1_000),
    );
  });

  test('without stars and sets holds for itself and nothing else', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', '.', '𝒳', '/'), minLength: 1 });
    const names = plain.filter((text) => !/^\/|\/$|\/\//.test(text));
    fc.assert(
      fc.property(names, names, (glob, path) => {
        expect(holds(glob, glob)).toBe(true);
        expect(holds(glob, path)).toBe(glob === path);
      }),
      propertyRuns(300),
    );
  });
});

test('braces stand for every choice', () => {
  expect(textsOf('a{b,c{d,e}}f')).toEqual(['abf', 'acdf', 'acef']);
  expect(textsOf('[{]{a,}')).toEqual(['[{]a', '[{]']);
  expect(textsOf('\\{a')).toEqual(['\\{a']);
});

test('braces that stand for too much, or have no end, are told apart', () => {
  const kindOf = (glob: string) => expandBraces(glob, 8, createEffort()).kind;
  expect(['{a,b}{a,b}{a,b}', '{a,{b,{c,d,e}},f,g,h}', `${'{'.repeat(10)}a${'}'.repeat(10)}`].map(kindOf)).toEqual([
    'texts',
    'texts',
    'texts',
  ]);
  expect(['{a,b}{a,b}{a,b}{a,b}', '{,,,,,,,,}', '{a,{b,{c,d,e}},f,g,h,i}', '{'.repeat(11)].map(kindOf)).toEqual([
    'too-many',
    'too-many',
    'too-many',
    'too-many',
  ]);
  expect(['{a', 'a}', '{a}}', '{{a}', '{[}]'].map(kindOf)).toEqual(Array(5).fill('broken'));
});

test('commas in braces, sets and behind backslashes do not separate', () => {
  expect(splitAtCommas('*.{js,ts},[,]x,a\\,b,c')).toEqual(['*.{js,ts}', '[,]x', 'a\\,b', 'c']);
});

describe('a pattern for files', () => {
  const wanted = (pattern: string, ...paths: readonly string[]) =>
    paths.filter((each) => readFilePattern(pattern).holds(each));

  test('without a slash is about names in any folder', () => {
    expect(wanted('*.ts', 'a.ts', 'x/b.ts', 'x.ts/c')).toEqual(['a.ts', 'x/b.ts']);
  });

  test('with a slash is about paths', () => {
    expect(wanted('./src/*.ts', 'src/a.ts', 'src/x/b.ts', 'lib/src/c.ts')).toEqual(['src/a.ts']);
  });

  test('may be several, and may leave out', () => {
    expect(wanted('*.ts, *.js,!dist,!*.d.ts', 'a.ts', 'b.js', 'c.c', 'dist/d.js', 'x/dist/y/e.js', 'f.d.ts')).toEqual([
      'a.ts',
      'b.js',
    ]);
  });

  test('tells which names it can be about, as far as that is certain', () => {
    expect(readFilePattern('*.ts,src/**/*.{js,c}').names).toEqual(['*.ts', '*.{js,c}']);
    expect(readFilePattern('*.ts,src/**').names).toEqual([]);
    expect(readFilePattern('{a/b,c}').names).toEqual([]);
  });

  test('that is none says what is wrong with it', () => {
    expect(() => readFilePattern('*.{js')).toThrow('the pattern `*.{js` is no glob');
  });
});
