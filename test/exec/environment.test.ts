import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import type { EnvironmentPolicy } from '../../src/core/environment-policy.js';
import { afterLogin, commandEnvironment } from '../../src/exec/environment.js';
import { propertyRuns } from '../support/property-runs.js';

const FORCED = {
  NO_COLOR: '1',
  TERM: 'dumb',
  COLORTERM: '',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
};

const policy = (changes: Partial<EnvironmentPolicy>): EnvironmentPolicy => ({
  ...DEFAULT_ENVIRONMENT_POLICY,
  ...changes,
});

describe('the environment of a command', () => {
  const inherited = {
    HOME: '/home/a',
    Path: '/bin',
    ComSpec: 'cmd.exe',
    PAGER: 'less',
    EDITOR: 'vi',
    AWS_REGION: 'eu',
    OPENAI_API_KEY: 'x',
    github_token: 'x',
    MY_SECRET_THING: 'x',
    DB_PASSWORD: 'x',
    EMPTY: '',
    ABSENT: undefined,
  };
  const secrets = { OPENAI_API_KEY: 'x', github_token: 'x', MY_SECRET_THING: 'x', DB_PASSWORD: 'x' };
  const core = { HOME: '/home/a', Path: '/bin', ComSpec: 'cmd.exe' };
  const usual = { ...core, EDITOR: 'vi', AWS_REGION: 'eu', EMPTY: '' };

  const cases: readonly (readonly [what: string, changes: Partial<EnvironmentPolicy>, own: Record<string, string>])[] =
    [
      ['by default: all but what looks like a secret', {}, usual],
      ['secrets too, if that was asked for', { ignoreDefaultExcludes: true }, { ...usual, ...secrets }],
      ['only what programs need, whatever its case', { inherit: 'core' }, core],
      ['nothing inherited', { inherit: 'none' }, {}],
      ['without what was excluded', { exclude: ['aws_*', 'EDITO?', '[CP]*'] }, { HOME: '/home/a', EMPTY: '' }],
      ['only what was included', { includeOnly: ['h*', 'EDITOR'] }, { HOME: '/home/a', EDITOR: 'vi' }],
      ['a secret is not brought back by being included', { includeOnly: ['*_KEY', 'HOME'] }, { HOME: '/home/a' }],
      ['an exclusion wins over an inclusion', { exclude: ['HOME'], includeOnly: ['HOME', 'EDITOR'] }, { EDITOR: 'vi' }],
      ['what was set comes on top', { set: { HOME: '/x', NEW: '1' } }, { ...usual, HOME: '/x', NEW: '1' }],
      ['what was set wins over settings for plain output', { set: { PAGER: 'less' } }, { ...usual, PAGER: 'less' }],
      [
        'what was set wins over exclusions',
        { inherit: 'none', set: { MY_KEY: '1', HOME: '/x' }, exclude: ['HOME'], includeOnly: ['NONE'] },
        { MY_KEY: '1', HOME: '/x' },
      ],
    ];

  test.each(cases)('%s', (_, changes, own) => {
    expect(commandEnvironment(inherited, policy(changes))).toEqual({ ...FORCED, ...own });
  });

  test('names that every object knows are names like others', () => {
    const environment = commandEnvironment({ ['__proto__']: 'a', constructor: 'b' }, DEFAULT_ENVIRONMENT_POLICY);
    expect(Object.entries(environment)).toEqual([['__proto__', 'a'], ['constructor', 'b'], ...Object.entries(FORCED)]);
  });
});

describe('the environment after a login shell', () => {
  const reported = { HOME: '/home/a', PAGER: 'less', CARGO_HOME: '/c', PROFILE_TOKEN: 'x' };

  test('what a profile exports passes the same filters, and what was set wins again', () => {
    const environment = afterLogin(reported, policy({ exclude: ['HOME'], set: { CARGO_HOME: '/mine', MY_KEY: '1' } }));
    expect(environment).toEqual({ ...FORCED, CARGO_HOME: '/mine', MY_KEY: '1' });
  });

  test('only what was included remains', () => {
    expect(afterLogin(reported, policy({ includeOnly: ['HOME'] }))).toEqual({ ...FORCED, HOME: '/home/a' });
  });

  test('nothing inherited still lets the profile add', () => {
    expect(afterLogin(reported, policy({ inherit: 'none' }))).toEqual({
      ...FORCED,
      HOME: '/home/a',
      CARGO_HOME: '/c',
    });
  });
});

describe('a pattern', () => {
  const matches = (pattern: string, name: string) =>
    Object.hasOwn(afterLogin({ [name]: '' }, policy({ ignoreDefaultExcludes: true, includeOnly: [pattern] })), name);

  const table: readonly (readonly [pattern: string, fitting: readonly string[], other: readonly string[]])[] = [
    ['A', ['A', 'a'], ['', 'AA', 'BA']],
    ['', [''], ['A']],
    ['*', ['', 'A', 'A=B\nC'], []],
    ['A*B', ['AB', 'AxB', 'aXBxb'], ['A', 'ABx', 'xAB']],
    ['**A**', ['A', 'xAx'], ['x', '']],
    ['A?', ['Ax', 'A😀', 'A\n'], ['A', 'Axx']],
    ['[xy]Z', ['xZ', 'YZ'], ['zZ', 'xyZ', 'Z']],
    ['[a-c_]', ['A', 'b', 'C', '_'], ['d', '-', '']],
    ['[!a-c]', ['d', '-'], ['A', 'b', '']],
    ['[A-_]', ['a', 'Z', '_'], ['0']],
    ['[c-a]', [], ['a', 'b', 'c']],
    ['[!]', ['!'], ['a']],
    ['[a-]', ['a', '-'], ['b']],
    ['[]', ['[]'], ['', 'a']],
    ['A[B', ['a[b'], ['AB']],
    ['[[a]', ['[a'], ['[', 'a']],
    ['A.B', ['A.B'], ['AxB']],
    ['^(A|B)+$', ['^(a|b)+$'], ['A', 'AB']],
    [String.raw`\w`, [String.raw`\W`], ['w', 'a']],
    ['*ΟΔΟΣ*', ['οδοσ', 'ΟΔΟΣ_X'], ['ΟΔΟ']],
  ];

  test.each(table)('%j fits %j and not %j', (pattern, fitting, other) => {
    expect(fitting.filter((name) => !matches(pattern, name))).toEqual([]);
    expect(other.filter((name) => matches(pattern, name))).toEqual([]);
  });

  test('many stars and a long name that almost fits come to an end', () => {
    expect(matches(`${'*a'.repeat(50)}*b`, 'a'.repeat(100_000))).toBe(false);
    expect(matches(`${'*a'.repeat(50)}*`, 'a'.repeat(100_000))).toBe(true);
  });

  test('any text is a pattern', () => {
    const text = fc.string({ unit: fc.constantFrom(...'[[]]!-*?aZ\n\0😀İſ', '\ud83d') });
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        expect(matches(`*${pattern}*`, name) || !matches(pattern, name)).toBe(true);
      }),
      propertyRuns(500),
    );
  });

  test('it fits what a regular expression for the same parts fits', () => {
    const letter = fc.constantFrom(...String.raw`aAbBcC_.+^$(){}|\-]!/ `);
    const inSet = fc.array(fc.constantFrom(...'aAbBcC_.'), { minLength: 1, maxLength: 3 }).map((all) => all.join(''));
    const part = fc.oneof(
      fc.constant({ text: '*', expression: '[^]*' }),
      fc.constant({ text: '?', expression: '[^]' }),
      fc.constantFrom('a-b', 'B-C').map((range) => ({ text: `[${range}]`, expression: `[${range}]` })),
      inSet.map((set) => ({ text: `[${set}]`, expression: `[${set}]` })),
      inSet.map((set) => ({ text: `[!${set}]`, expression: `[^${set}]` })),
      letter.map((text) => ({ text, expression: text.replace(/[.+^$(){}|\\\-\]/]/, String.raw`\$&`) })),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.array(letter, { maxLength: 6 }).map((letters) => letters.join('')),
        (parts, name) => {
          const expression = new RegExp(`^${parts.map((each) => each.expression).join('')}$`, 'i');
          expect(matches(parts.map((each) => each.text).join(''), name)).toBe(expression.test(name));
        },
      ),
      propertyRuns(1_000),
    );
  });
});
