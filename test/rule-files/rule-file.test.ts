import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readRuleFile } from '../../src/rule-files/rule-file.js';
import { propertyRuns } from '../support/property-runs.js';

const read = (toml: string, base?: string) =>
  readRuleFile(toml, { file: 'x.toml', home: '/home/u', ...(base !== undefined && { base }) });

/** The problems of a text, as `line: message`. */
async function problemsOf(toml: string, base?: string): Promise<readonly string[]> {
  return (await read(toml, base)).problems.map(({ line, message }) => `${line}: ${message}`);
}

test('a file may hold all kinds of rules', async () => {
  const toml = `# what may run
[[command]]
pattern = ["git", ["status", "log"]]
decision = "allow"
justification = "only reads"
exact = true
cwd = "~/project"
unconfined = true
match = [["git", "log"], "git status"]
not_match = ["git push", "git status --short"]

[[path]]
read = ["~/.ssh/**", "**/.env"]
write = "/etc"
decision = "forbidden"
match = ["~/.ssh/id_rsa", "/etc/passwd", "/a/.env"]
not_match = "~/.sshd"

[[host]]
host = ["*.example.com"]
decision = "prompt"
match = "api.example.com"
not_match = "example.com"

[[mcp]]
tool = "github/*"
decision = "prompt"
match = "github/create_issue"

[[typed]]
text = "sudo *"
program = ["bash"]
decision = "forbidden"
match = "sudo ls"
not_match = "ls"
`;
  const said = (line: number, decision: string) => ({ decision, file: 'x.toml', line });
  expect(await read(toml)).toEqual({
    rules: [
      {
        ...said(2, 'allow'),
        justification: 'only reads',
        kind: 'command',
        pattern: [['git'], ['status', 'log']],
        exact: true,
        cwd: '/home/u/project',
        unconfined: true,
      },
      {
        ...said(12, 'forbidden'),
        kind: 'path',
        access: 'read',
        patterns: ['/home/u/.ssh/**', '/**/.env'],
      },
      { ...said(12, 'forbidden'), kind: 'path', access: 'write', patterns: ['/etc'] },
      { ...said(19, 'prompt'), kind: 'host', hosts: ['*.example.com'] },
      { ...said(25, 'prompt'), kind: 'mcp', tools: ['github/*'] },
      { ...said(30, 'forbidden'), kind: 'typed', text: ['sudo *'], program: [['bash']] },
    ],
    problems: [],
    examples: 13,
  });
});

test('an empty file holds no rules', async () => {
  expect(await read('# nothing yet\n')).toEqual({ rules: [], problems: [], examples: 0 });
});

describe('paths', () => {
  const patternsOf = async (pattern: string, base?: string) => {
    const { rules } = await read(`[[path]]\ndecision = "prompt"\nread = ${JSON.stringify(pattern)}\n`, base);
    return rules.flatMap((rule) => (rule.kind === 'path' ? rule.patterns : []));
  };

  test.each([
    ['~', '/home/u'],
    ['~/a', '/home/u/a'],
    ['/a//b/../c/', '/a/c/'],
    ['**', '/**'],
    ['**/x', '/**/x'],
    ['src/*.ts', '/work/[[]x]/src/*.ts'],
    ['./src', '/work/[[]x]/src'],
    ['../*', '/work/*'],
  ])('%s is %s in a project', async (pattern, absolute) => {
    expect(await patternsOf(pattern, '/work/[x]')).toEqual([absolute]);
  });

  test('of a project and its examples are relative to it', async () => {
    const toml = '[[path]]\ndecision = "prompt"\nwrite = "generated"\nmatch = "generated/a.ts"\n';
    expect(await problemsOf(toml, '/work/{a,b}')).toEqual([]);
  });

  test('are a problem when they are relative to nothing or mean something else', async () => {
    const toml = (pattern: string) => `[[path]]\ndecision = "prompt"\nread = ${JSON.stringify(pattern)}\n`;
    expect(await problemsOf(toml('src'))).toEqual([
      '3: `src` is relative; begin it with `/` or `~/`, as these rules belong to no project',
    ]);
    expect(await problemsOf(toml('~bob/x'), '/work')).toEqual([
      '3: the home of somebody else is not known in `~bob/x`; write the whole path',
    ]);
    expect(await problemsOf(toml('!x'), '/work')).toEqual([
      '3: `!x` cannot be negated; write a rule of its own, or `[!]…`',
    ]);
    expect(await problemsOf(toml('{/a,/b}/c'), '/work')).toEqual([
      '3: `{/a,/b}/c` must begin with the folder that its alternatives share',
    ]);
    expect(await problemsOf(toml(`/${'a'.repeat(10_000)}`))).toEqual([
      '3: a pattern may have 10000 characters at most',
    ]);
  });
});

describe('a problem', () => {
  test.each([
    ['not TOML', '\n[[command]\n', '2: not valid TOML: expected end of table array declaration'],
    ['no decision', '[[host]]\nhost = "a"\n', '1: missing field `decision`'],
    [
      'another decision',
      '[[host]]\nhost = "a"\n\ndecision = "deny"\n',
      '4: unknown variant `deny`, expected one of `allow`, `prompt`, `forbidden` at `decision`',
    ],
    ['no pattern', '[[command]]\ndecision = "allow"\n', '1: missing field `pattern`'],
    [
      'an empty pattern',
      '[[command]]\ndecision = "allow"\npattern = []\n',
      '3: `pattern` is empty; fill it or leave it out',
    ],
    [
      'empty alternatives',
      '[[command]]\ndecision = "allow"\npattern = ["a", []]\n',
      '3: `pattern` holds something empty; fill it or leave it out',
    ],
    ['no name', '[[command]]\ndecision = "allow"\npattern = [""]\n', '3: the name of a program cannot be empty'],
    [
      'one word that should be two',
      '[[command]]\ndecision = "allow"\npattern = ["rm -rf"]\n',
      '3: `rm -rf` is one word; write each on its own: ["rm","-rf"]',
    ],
    [
      'a command for a pattern',
      '[[command]]\ndecision = "allow"\npattern = "rm -rf"\n',
      '3: invalid type: string "rm -rf", expected an array at `pattern`',
    ],
    [
      'a wrong type',
      '[[command]]\ndecision = "allow"\npattern = ["a", 1]\n',
      '3: invalid type: integer `1`, expected an array at `pattern.1`',
    ],
    [
      'no paths',
      '\n[[path]]\ndecision = "allow"\n',
      '2: neither `read` nor `write` is given; list the paths of at least one',
    ],
    [
      'no justification',
      '[[mcp]]\ndecision = "allow"\njustification = " "\ntool = "*"\n',
      '3: `justification` is empty; fill it or leave it out',
    ],
    [
      'a tool without a server',
      '[[mcp]]\ndecision = "allow"\ntool = "x"\n',
      '3: `x` must be written as server/tool, for example `github/*`',
    ],
    [
      'an address for a host',
      '[[host]]\ndecision = "allow"\nhost = ["https://a.b", "::1", "[::1]", "*", "*.a"]\n',
      '3: `https://a.b` is no host; write a name such as `example.com` or `*.example.com`, without a port',
    ],
    [
      'a port',
      '[[host]]\ndecision = "allow"\nhost = "a.b:80"\n',
      '3: `a.b:80` is no host; write a name such as `example.com` or `*.example.com`, without a port',
    ],
    [
      'leaving the sandbox without being allowed',
      '[[command]]\ndecision = "prompt"\npattern = "a"\nunconfined = true\n',
      '4: `unconfined` goes with decision = "allow" only',
    ],
    [
      'an unknown key',
      '[[command]]\ndecision = "allow"\npattern = "a"\nexat = true\n',
      '4: unknown key `exat`; did you mean `exact`?',
    ],
    ['an unknown table', '\n[[comand]]\npattern = "a"\n', '2: unknown table `comand`; did you mean `[[command]]`?'],
    [
      'a key above all tables',
      '# x\n"version" = 1\n',
      '2: unknown table `version`; there are `[[command]]`, `[[path]]`, `[[host]]`, `[[mcp]]`, `[[typed]]`',
    ],
    ['a single table', '\n[command]\npattern = "a"\n', '2: each rule must stand under its own `[[command]]` header'],
    [
      'a list of tables',
      '\ncommand = [{ pattern = "a" }]\n',
      '2: each rule must stand under its own `[[command]]` header',
    ],
    [
      'an example that is not matched',
      '[[command]]\ndecision = "allow"\npattern = ["git", "status"]\nmatch = ["git push"]\n',
      '4: match: `git push` is not matched by this rule',
    ],
    [
      'an example that is matched',
      '[[command]]\ndecision = "allow"\npattern = ["git"]\nnot_match = [["git", "push"]]\n',
      '4: not_match: `git push` is matched by this rule',
    ],
    [
      'an example of several commands',
      '[[command]]\ndecision = "allow"\npattern = ["a"]\nmatch = "a; b"\n',
      '4: `a; b` is not one plain command; write it as a list of words',
    ],
    [
      'an example that a terminal would obey',
      '[[typed]]\ndecision = "allow"\ntext = "a"\nmatch = "\\u001b[2J\\n"\n',
      '4: match: `\\u001b[2J\\u000a` is not matched by this rule',
    ],
  ])('%s is told with its line', async (_name, toml, problem) => {
    expect(await problemsOf(toml)).toEqual([problem]);
  });

  test('does not hide another, and the rule it is about is left out', async () => {
    const toml = `[[host]]
host = """
[[host]]
decision = 1"""
decison = "allow"

[[command]] # [[host]]
pattern = [
  ["a"],
[['''b
''']] , # "
]
decision = 'never'

[[command]]
pattern = "a"
decision = "allow"
`;
    const { rules, problems } = await read(toml);
    expect(rules.map(({ line }) => line)).toEqual([15]);
    expect(problems.map(({ line }) => line)).toEqual([1, 5, 8, 13]);
  });
});

const PIECES = [
  '[[command]]',
  '[[path]]',
  '[[host]]',
  '[[mcp]]',
  '[[typed]]',
  '[x]',
  '\n',
  '\n',
  '\n',
  '=',
  '[',
  ']',
  '{',
  '}',
  '"""',
  "'''",
  '"',
  "'",
  '\\',
  '#',
  ',',
  'pattern = ["a", ["b"]]\n',
  'decision = "allow"\n',
  'read = "**/[a"\n',
  'host = "*.a"\n',
  'tool = "a/*"\n',
  'text = "*"\n',
  'match = "a b"\n',
  'not_match = ["/x", "a"]\n',
  '__proto__',
];

test('property: any text gives rules or problems', async () => {
  const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, inProject) => {
      const text = pieces.join('');
      const { rules, problems } = await read(text, inProject ? '/work' : undefined);
      const lines = text.split('\n').length;
      for (const { line, message } of problems) {
        expect(line).toBeLessThanOrEqual(lines);
        expect(message).not.toMatch(/[\n\r]/);
      }
      for (const rule of rules) expect(text.split('\n')[rule.line - 1]).toContain(`[[${rule.kind}]]`);
    }),
    propertyRuns(1_000),
  );
});
