import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../src/core/paths.js';
import { literalPattern } from '../../src/rules/path-pattern.js';
import { createRuleBook } from '../../src/rules/rule-book.js';
import type { RuleBookOptions } from '../../src/rules/rule-book.js';
import type { CommandRule, HostRule, McpRule, PathRule, RuleDecision, TypedRule } from '../../src/rules/rules.js';
import type { Word } from '../../src/shell/reading.js';
import { propertyRuns } from '../support/property-runs.js';

const said = (decision: RuleDecision) => ({ decision, file: 'a.toml', line: 1 });

type Words = readonly (string | readonly string[])[];
const placesOf = (words: Words) => words.map((word) => (typeof word === 'string' ? [word] : word));

function command(decision: RuleDecision, pattern: Words, more: { exact?: boolean; cwd?: string } = {}): CommandRule {
  const { exact = false, cwd } = more;
  return {
    kind: 'command',
    ...said(decision),
    pattern: placesOf(pattern),
    exact,
    unconfined: false,
    ...(cwd !== undefined && { cwd: absolutePath(cwd) }),
  };
}

const path = (decision: RuleDecision, ...patterns: string[]): PathRule => ({
  kind: 'path',
  ...said(decision),
  access: 'read',
  patterns,
});
const host = (...hosts: string[]): HostRule => ({ kind: 'host', ...said('prompt'), hosts });
const mcp = (decision: RuleDecision, ...tools: string[]): McpRule => ({ kind: 'mcp', ...said(decision), tools });
const typed = (decision: RuleDecision, text: string, program?: Words): TypedRule => ({
  kind: 'typed',
  ...said(decision),
  text: [text],
  ...(program && { program: placesOf(program) }),
});

const unknown = (begins = '', splits = false): Word => ({ source: '$X', begins, splits });

/** What one rule says to a command: yes, maybe or no. */
function ask(rule: CommandRule, words: readonly Word[], where?: RuleBookOptions & { folders?: readonly string[] }) {
  const matches = createRuleBook([rule], where).commands(words, where?.folders);
  return matches[0]?.certainty ?? 'no';
}

describe('a command rule', () => {
  const git = command('prompt', ['git', ['push', 'pull']]);

  test.each([
    [['git', 'push'], 'yes'],
    [['git', 'pull', '--rebase'], 'yes'],
    [['git', 'status'], 'no'],
    [['git'], 'no'],
    [[], 'no'],
    [['gitk', 'push'], 'no'],
    [['git', unknown()], 'maybe'],
    [['git', unknown('pu')], 'maybe'],
    [['git', unknown('st')], 'no'],
    [['git', unknown('', true)], 'maybe'],
    [['git', unknown('st', true), 'push'], 'no'],
    [['git', unknown('', true), 'status'], 'maybe'],
    [[unknown(), 'push'], 'maybe'],
    [[unknown(), 'status'], 'no'],
    [[unknown('', true)], 'maybe'],
    [[unknown('', true), 'status'], 'maybe'],
  ] as const)('over the words %j says %s', (words, answer) => {
    expect(ask(git, words)).toBe(answer);
  });

  test('that is exact takes no further words', () => {
    const exact = command('prompt', ['make'], { exact: true });
    expect(ask(exact, ['make'])).toBe('yes');
    expect(ask(exact, ['make', 'install'])).toBe('no');
    expect(ask(exact, ['make', ''])).toBe('no');
    expect(ask(exact, ['make', unknown()])).toBe('no');
    expect(ask(exact, ['make', unknown('', true)])).toBe('maybe');
    expect(ask(exact, ['make', unknown('x', true)])).toBe('no');
    expect(ask(exact, ['make', unknown('', true), 'x'])).toBe('no');
  });

  test('with a folder holds there and below it', () => {
    const there = command('allow', ['make'], { cwd: '/project' });
    expect(ask(there, ['make'], { folders: ['/project', '/project/a'] })).toBe('yes');
    expect(ask(there, ['make'], { folders: ['/project', '/tmp'] })).toBe('maybe');
    expect(ask(there, ['make'], { folders: ['/projectshop'] })).toBe('no');
    expect(ask(there, ['make'])).toBe('maybe');
  });

  test('that restricts a name holds for that program wherever it lies', () => {
    const rm = command('forbidden', ['rm']);
    expect(['rm', '/bin/rm', './rm', '../x/rm', '/tmp/rm'].map((name) => ask(rm, [name]))).toEqual(
      Array.from({ length: 5 }, () => 'yes'),
    );
    expect(['rmdir', 'RM', '/rm/ls'].map((name) => ask(rm, [name]))).toEqual(['no', 'no', 'no']);
  });

  test('that allows a name holds only for the program everybody means by it', () => {
    const allowed = command('allow', ['git']);
    expect(['git', '/usr/bin/git', '/opt/homebrew/bin/git'].map((name) => ask(allowed, [name]))).toEqual([
      'yes',
      'yes',
      'yes',
    ]);
    expect(['./git', '/tmp/git', '/usr/bin/../../tmp/git', 'GIT'].map((name) => ask(allowed, [name]))).toEqual([
      'no',
      'no',
      'no',
      'no',
    ]);
    expect(ask(allowed, [unknown()])).toBe('maybe');
  });

  test.each(['allow', 'forbidden'] as const)('that names a path to %s it compares it as it stands', (decision) => {
    const script = command(decision, ['./run.sh']);
    expect(['./run.sh', 'run.sh', '/project/run.sh'].map((name) => ask(script, [name]))).toEqual(['yes', 'no', 'no']);
  });

  test('does not tell upper from lower case where files do not, but allows only what it says', () => {
    const folded = { foldCase: true };
    expect(ask(command('forbidden', ['rm']), ['/bin/RM'], folded)).toBe('yes');
    expect(ask(command('forbidden', ['/Bin/rm']), ['/bin/RM'], folded)).toBe('yes');
    expect(ask(command('forbidden', ['git', 'push']), ['GIT', 'PUSH'], folded)).toBe('no');
    expect(ask(command('allow', ['git']), ['GIT'], folded)).toBe('no');
    expect(ask(command('prompt', ['x'], { cwd: '/Project' }), ['x'], { ...folded, folders: ['/project/a'] })).toBe(
      'yes',
    );
    expect(ask(command('allow', ['x'], { cwd: '/Project' }), ['x'], { ...folded, folders: ['/project/a'] })).toBe('no');
  });

  test('is found among many, once, in the order in which they stand', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => command('prompt', [`tool-${index}`]));
    const first = command('allow', [['git', '/usr/bin/git'], 'log']);
    const last = command('prompt', ['git']);
    const book = createRuleBook([first, ...many, last]);
    expect(book.commands(['/usr/bin/git', 'log'], undefined)).toEqual([
      { rule: first, certainty: 'yes' },
      { rule: last, certainty: 'yes' },
    ]);
    expect(book.commands([unknown()], undefined)).toHaveLength(1_001);
  });

  test('property: what surely holds still may when a word becomes unknown', () => {
    const word = fc.constantFrom('a', 'b', 'ab', '');
    const decision = fc.constantFrom<RuleDecision>('allow', 'prompt', 'forbidden');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.record({ decision, exact: fc.boolean(), at: fc.nat(3), cut: fc.nat(2), splits: fc.boolean() }),
        (pattern, words, { decision: decided, exact, at, cut, splits }) => {
          const rule = command(decided, pattern, { exact });
          const hidden = words.map((each, index) => (index === at ? unknown(each.slice(0, cut), splits) : each));
          if (ask(rule, words) === 'yes') expect(ask(rule, hidden)).not.toBe('no');
        },
      ),
      propertyRuns(1_000),
    );
  });
});

describe('a path rule', () => {
  const covers = (pattern: string, target: string, options?: RuleBookOptions) =>
    createRuleBook([path('forbidden', pattern)], options).paths('read', target).length > 0;

  test.each([
    ['/home/u/.ssh', '/home/u/.ssh', true],
    ['/home/u/.ssh', '/home/u/.ssh/id_rsa', true],
    ['/home/u/.ssh/', '/home/u/.ssh/', true],
    ['/home/u/.ssh/**', '/home/u/.ssh', true],
    ['/home/u/.ssh/**', '/home/u/.ssh/a/b', true],
    ['/home/u/.ssh', '/home/u/.sshd', false],
    ['/home/u/.ssh', '/home/u', false],
    ['/home/u/.ssh', '/home/u/x/../.ssh', true],
    ['/**/.env', '/.env', true],
    ['/**/.env', '/a/b/.env', true],
    ['/**/.env', '/a/.env/b', true],
    ['/**/.env', '/a/x.env', false],
    ['/a/**/b/**/c', '/a/b/c', true],
    ['/a/**/b/**/c', '/a/x/b/y/z/c', true],
    ['/a/**/b', '/ab', false],
    ['/a**z', '/a/b/z', true],
    ['/a/*.key', '/a/.key', true],
    ['/a/*.key', '/a/b/c.key', false],
    ['/a/*', '/a', false],
    ['/a/*', '/a/b/c', true],
    ['/a/?', '/a/b', true],
    ['/a/?', '/a/🙂', true],
    ['/a?b', '/a/b', false],
    ['/a[/]b', '/a/b', false],
    ['/[abc]x', '/bx', true],
    ['/[a-c]x', '/dx', false],
    ['/[!a-c]x', '/dx', true],
    ['/[!a]', '/', false],
    ['/a/[!x]b', '/a//b', false],
    ['/{a,b/c}/d', '/b/c/d', true],
    ['/{a,b{1,2},}x', '/b2x', true],
    ['/{a,b{1,2},}x', '/x', true],
    ['/{a,b}', '/{a,b}', false],
    ['/a/{b,}', '/a/c', true],
    ['/{a}', '/{a}', true],
    ['/{a,b', '/{a,b', true],
    ['/[[]x]', '/[x]', true],
    ['/[*]', '/x', false],
    ['/[', '/[', true],
    ['/a.c', '/abc', false],
    ['/a+$^(|)\\', '/a+$^(|)\\', true],
    ['/', '/anything', true],
    ['/**', '/', true],
  ])('%s over %s: %s', (pattern, target, answer) => {
    expect(covers(pattern, target)).toBe(answer);
  });

  test('belongs to one kind of access', () => {
    const rule = path('allow', '/a');
    const book = createRuleBook([rule]);
    expect([book.paths('read', '/a/b'), book.paths('write', '/a/b')]).toEqual([[rule], []]);
  });

  test('does not tell upper from lower case where files do not, unless it allows', () => {
    const folded = { foldCase: true };
    expect(covers('/Users/u/.SSH/[A-C]*', '/users/U/.ssh/Cx', folded)).toBe(true);
    expect(covers('/e\u0301/ſ', '/É/S', folded)).toBe(true);
    expect(covers('/ΟΔΟΣ*', '/οδος', folded)).toBe(true);
    expect(covers('/A', '/a')).toBe(false);
    expect(createRuleBook([path('allow', '/A')], folded).paths('read', '/a')).toEqual([]);
  });

  test('restricts a folder that is walked when what it names lies in it', () => {
    const named = path('forbidden', '/home/u/.ssh/**');
    const book = createRuleBook([
      named,
      path('forbidden', '/**/.env'),
      path('allow', '/home/u/x'),
      path('prompt', '/home/*/y'),
    ]);
    expect(book.pathsBelow('read', '/home')).toEqual([named]);
    expect(book.pathsBelow('read', '/')).toEqual([named]);
    expect(book.pathsBelow('read', '/home/u/.ssh')).toEqual([named]);
    expect(book.pathsBelow('read', '/home/u/.ssh/keys')).toEqual([]);
    expect(book.pathsBelow('read', '/home/us')).toEqual([]);
    expect(book.pathsBelow('write', '/home')).toEqual([]);
  });

  test.each([
    ['/home/u/.ssh', '/home/u/', true],
    ['/home/u/.ssh', '/home/u/.s', true],
    ['/home/u/.ssh', '/home/u/.ssh/id', true],
    ['/home/u/.ssh', '/home/u/a', false],
    ['/home/u/.ssh', '/tmp/../home/u/', true],
    ['/home/u/.ssh', '/home/u/a/..', true],
    ['/home/u/.ssh', '', true],
    ['/home/u/.ssh', 'u/', true],
    ['/**/.env', '/anywhere/', true],
    ['/a/*.key', '/a/b', true],
    ['/a/*.key', '/b', false],
    ['/a/*.key', '/a/b/c', false],
  ])('%s may hold for what begins with %s: %s', (pattern, beginning, answer) => {
    const book = createRuleBook([path('prompt', pattern), path('allow', '/**')]);
    expect(book.pathsBeginning('read', beginning).length > 0).toBe(answer);
  });

  test.each([
    ['/**'.repeat(500), `/${'a/'.repeat(500)}`, true],
    [`${'/**'.repeat(500)}/b`, `/${'a/'.repeat(500)}a`, false],
    [`/${'*a'.repeat(500)}b`, `/${'a'.repeat(1_000)}`, false],
    [`/${'{a,aa}'.repeat(500)}b`, `/${'a'.repeat(900)}`, false],
    [`/${'{'.repeat(3_000)}a,b${'}'.repeat(3_000)}`, '/a', false],
    [`/${'{,'.repeat(3_000)}a${'}'.repeat(3_000)}`, '/a', true],
    ['/'.repeat(9_000) + 'x', '/', false],
  ])('made to take for ever is answered all the same (%#)', (pattern, target, answer) => {
    expect(covers(pattern, target)).toBe(answer);
  });

  const name = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll('/', '_'));
  const names = fc.array(
    name.filter((text) => text !== '.' && text !== '..'),
    { minLength: 1, maxLength: 5 },
  );

  test('property: made of plain names it holds for its path, below it and where it may begin', () => {
    const plain = names.map((each) => each.map((text) => text.replaceAll(/[*?[{]/g, '-')));
    fc.assert(
      fc.property(plain, fc.boolean(), (each, foldCase) => {
        const target = `/${each.join('/')}`;
        expect(covers(target, target, { foldCase })).toBe(true);
        expect(covers(target, `${target}/x`, { foldCase })).toBe(true);
        expect(covers(`${target}/x`, target, { foldCase })).toBe(false);
      }),
      propertyRuns(500),
    );
  });

  test('property: any path can be written as a pattern that holds for it alone', () => {
    fc.assert(
      fc.property(names, names, (each, other) => {
        const [target, another] = [`/${each.join('/')}`, `/${other.join('/')}`];
        expect(covers(literalPattern(target), target)).toBe(true);
        expect(covers(literalPattern(target), another)).toBe(another === target || another.startsWith(`${target}/`));
      }),
      propertyRuns(500),
    );
  });

  test('property: what holds for a path may hold for each of its beginnings', () => {
    const pieces = fc.constantFrom('/', 'a', 'b', '*', '**', '?', '[ab]', '[!a]', '{', ',', '}');
    const target = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), target, fc.nat(12), (made, parts, length) => {
        const whole = `/${parts.join('/')}`;
        const book = createRuleBook([path('prompt', `/${made.join('')}`)]);
        if (book.paths('read', whole).length === 0) return;
        expect(book.pathsBeginning('read', whole.slice(0, length))).toHaveLength(1);
      }),
      propertyRuns(2_000),
    );
  });
});

describe('a host rule', () => {
  const covers = (pattern: string, name: string) => createRuleBook([host(pattern)]).hosts(name).length > 0;

  test.each([
    ['example.com', 'EXAMPLE.com.', true],
    ['Example.COM.', 'example.com', true],
    ['example.com', 'api.example.com', false],
    ['example.com', 'example.com.evil.org', false],
    ['*.example.com', 'api.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'badexample.com', false],
    ['*', 'anything', true],
    ['::1', '[::1]', true],
    ['[::1]', '0:0:0:0:0:0:0:1', true],
    ['127.0.0.1', '127.1', true],
    ['127.0.0.1', '2130706433', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['127.0.0.1', '[0:0:0:0:0:FFFF:7f00:0001]', true],
    ['::ffff:7f00:1', '127.0.0.1', true],
    ['::ffff:0:0', '0.0.0.0', true],
    ['127.0.0.1', '::127.0.0.1', false],
    ['*.1', '127.0.0.1', false],
    ['bücher.example', 'xn--bcher-kva.example', true],
    ['localhost', 'local host', false],
  ])('%s over %s: %s', (pattern, name, answer) => {
    expect(covers(pattern, name)).toBe(answer);
  });

  test('is told once however many of its patterns hold', () => {
    const rule = host('*', '*.example.com', 'a.example.com');
    expect(createRuleBook([rule]).hosts('a.example.com')).toEqual([rule]);
  });
});

describe('a rule for tools of servers', () => {
  const covers = (rule: McpRule, server: string, tool: string) => createRuleBook([rule]).mcp(server, tool).length > 0;

  test.each([
    ['github/*', 'github', 'create_issue', true],
    ['github/get_*', 'github', 'create_issue', false],
    ['*/delete', 'github', 'delete', true],
    ['git*/x', 'github', 'x', true],
    ['github/x', 'github', 'X', false],
    ['*', 'github', 'x', true],
  ])('%s over %s and %s: %s', (pattern, server, tool, answer) => {
    expect(covers(mcp('allow', pattern), server, tool)).toBe(answer);
    expect(covers(mcp('prompt', pattern), server, tool)).toBe(answer);
  });

  test('does not allow a server whose name only looks like a tool of another', () => {
    expect(covers(mcp('allow', 'a/*'), 'a/b', 'c')).toBe(false);
    expect(covers(mcp('allow', 'a*/c'), 'a', 'b/c')).toBe(false);
    expect(covers(mcp('forbidden', 'a/*'), 'a/b', 'c')).toBe(true);
  });
});

describe('a rule for what is typed', () => {
  const covers = (rule: TypedRule, line: string, program?: readonly string[]) =>
    createRuleBook([rule]).typed(line, program && { every: [program], sole: program }).length > 0;

  test.each([
    ['sudo *', 'sudo ls\r\n', true],
    ['sudo *', 'sudo', false],
    ['*rm*-rf*', 'cd /; rm x -rf', true],
    ['y', 'y\n', true],
    ['y', 'yes', false],
    ['a*a', 'a', false],
  ])('%s over %j: %s', (pattern, line, answer) => {
    expect(covers(typed('allow', pattern), line)).toBe(answer);
    expect(covers(typed('prompt', pattern), line)).toBe(answer);
  });

  test('is not dodged with blanks in front, which allow nothing either', () => {
    expect(covers(typed('forbidden', 'sudo *'), '  sudo ls')).toBe(true);
    expect(covers(typed('allow', 'ls'), ' ls')).toBe(false);
  });

  test('may be for one program only', () => {
    const inBash = (decision: RuleDecision, program?: readonly string[]) =>
      covers(typed(decision, '*', ['bash', '-i']), 'x', program);
    expect(inBash('allow', ['bash', '-i', '-l'])).toBe(true);
    expect(inBash('allow', ['./bash', '-i'])).toBe(false);
    expect(inBash('prompt', ['./bash', '-i'])).toBe(true);
    expect(inBash('prompt', ['bash'])).toBe(false);
    expect(inBash('prompt')).toBe(true);
    expect(inBash('allow')).toBe(false);
  });

  test('made to take for ever is answered all the same', () => {
    expect(covers(typed('allow', `${'*a'.repeat(1_000)}*b`), 'a'.repeat(100_000))).toBe(false);
  });
});

test('a book says whether there is anything to ask it', () => {
  const { isEmpty, restrictsCommands, restrictsPaths, restrictsHosts } = createRuleBook([]);
  expect({ isEmpty, restrictsCommands, restrictsPaths, restrictsHosts }).toEqual({
    isEmpty: true,
    restrictsCommands: false,
    restrictsPaths: false,
    restrictsHosts: false,
  });
  const book = createRuleBook([command('allow', ['a']), path('allow', '/a'), path('prompt', '/b'), host('c')]);
  expect([book.isEmpty, book.restrictsCommands, book.restrictsPaths, book.restrictsHosts]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
