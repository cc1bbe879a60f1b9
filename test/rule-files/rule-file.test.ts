import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';

import { readRuleFile } from '../../src/rule-files/rule-file.js';
import { tablePlaces } from '../../src/rule-files/toml-places.js';
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

describe('the words of a command', () => {
  const patternOf = async (pattern: unknown, more = '') => {
    const { rules, problems } = await read(
      `[[command]]\ndecision = "prompt"\npattern = ${JSON.stringify(pattern)}\n${more}`,
    );
    return problems.length > 0 ? problems : rules.flatMap((rule) => (rule.kind === 'command' ? rule.pattern : []));
  };

  test('may begin with a program of the home', async () => {
    expect(await patternOf([['~/bin/x', 'x'], '~/y'])).toEqual([['/home/u/bin/x', 'x'], ['~/y']]);
  });

  test.each([
    [['bash', '-lc', 'git push']],
    [['python3.12', '-c', 'import a; a.b(*c)']],
    [['/usr/bin/env', '-S', 'git push']],
    [['sudo', 'sh', '-c', 'rm *.o -r']],
    [['/Applications/My Tool.app/run']],
    [['git', 'commit', '-m', '']],
  ])('%j may stand', async (pattern) => {
    expect(await patternOf(pattern)).toEqual(pattern.map((word) => [word]));
  });

  test.each([[['git', 'add', '*']], [['git commit']], [['A=1', '*', 'b c']], [['~/x']]])(
    '%j may stand where nothing may follow',
    async (pattern) => {
      expect(await patternOf(pattern, 'exact = true\n')).toEqual(pattern.map((word) => [word]));
    },
  );
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
    ['src/*.ts', '/projects/[[]x]/src/*.ts'],
    ['./src', '/projects/[[]x]/src'],
    ['../*', '/projects/*'],
  ])('%s is %s in a project', async (pattern, absolute) => {
    expect(await patternsOf(pattern, '/projects/[x]')).toEqual([absolute]);
  });

  test('of a project and its examples are relative to it', async () => {
    const toml = '[[path]]\ndecision = "prompt"\nwrite = "generated"\nmatch = "generated/a.ts"\n';
    expect(await problemsOf(toml, '/projects/{a,b}')).toEqual([]);
  });

  test('are a problem when they are relative to nothing or mean something else', async () => {
    const toml = (pattern: string) => `[[path]]\ndecision = "prompt"\nread = ${JSON.stringify(pattern)}\n`;
    expect(await problemsOf(toml('src'))).toEqual([
      '3: `src` is relative; begin it with `/` or `~/`, as these rules belong to no project',
    ]);
    expect(await problemsOf(toml('~bob/x'), '/project')).toEqual([
      '3: the home of somebody else is not known in `~bob/x`; write the whole path',
    ]);
    expect(await problemsOf(toml('!x'), '/project')).toEqual([
      '3: `!x` cannot be negated; write a rule of its own, or `[!]…`',
    ]);
    expect(await problemsOf(toml('{/a,/b}/c'), '/project')).toEqual([
      '3: `{/a,/b}/c` must begin with the folder that its alternatives share',
    ]);
    expect(await problemsOf(toml(`/${'a'.repeat(10_000)}`))).toEqual([
      '3: a pattern may have 10000 characters at most',
    ]);
  });

  test.each([
    ['/a/[!bz-a]', '`z-a` in `/a/[!bz-a]` holds nothing; write `a-z`'],
    ['$HOME/.ssh', '`$HOME/.ssh` begins with a variable, which is not looked up; write `~/…` or the whole path'],
    ['${HOME}/x', '`${HOME}/x` begins with a variable, which is not looked up; write `~/…` or the whole path'],
    ['file:///etc', '`file:///etc` is a URL; write the path alone'],
    ['/a/**/../b', '`/a/**/../b` goes up behind a wildcard; write where it leads to'],
    ['/a/?/..', '`/a/?/..` goes up behind a wildcard; write where it leads to'],
    ['/{a,b}/../c', '`/{a,b}/../c` goes up behind a wildcard; write where it leads to'],
  ])('%s is a problem even in a project', async (pattern, problem) => {
    const toml = `[[path]]\ndecision = "prompt"\nread = ${JSON.stringify(pattern)}\n`;
    expect(await problemsOf(toml, '/project')).toEqual([`3: ${problem}`]);
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
    ...Object.entries({
      'an asterisk at the end': ['["git", "push", "*"]', '*'],
      'an asterisk for every program': ['["*"]', '*'],
      'an asterisk in a word': ['["rm", ["-f", "-r*"]]', '-r*'],
    }).map(([name, [pattern, word]]) => [
      name,
      `[[command]]\ndecision = "prompt"\npattern = ${pattern}\n`,
      `3: \`${word}\` would hold for an asterisk alone: a pattern holds whatever follows it, so write only the whole words before it`,
    ]),
    [
      'two words in one with another behind',
      '[[command]]\ndecision = "prompt"\npattern = ["git push", "x"]\n',
      '3: `git push` is one word; write each on its own: ["git","push"]',
    ],
    [
      'two words in one among alternatives',
      '[[command]]\ndecision = "prompt"\npattern = [["x", "git push"]]\n',
      '3: `git push` is one word; write each on its own: ["git","push"]',
    ],
    [
      'two words in one behind the program',
      '[[command]]\ndecision = "prompt"\npattern = ["git", "push origin"]\n',
      '3: `push origin` is one word; write each on its own: ["push","origin"]',
    ],
    [
      'a variable before the program',
      '[[command]]\ndecision = "prompt"\npattern = ["FOO=1", "make"]\n',
      '3: `FOO=1` sets a variable, which is no word of a command; begin with the program',
    ],
    [
      'a blank before the program',
      '[[command]]\ndecision = "prompt"\npattern = [" git"]\n',
      '3: ` git` has blanks around it; write `git`',
    ],
    [
      'a folder for a program',
      '[[command]]\ndecision = "prompt"\npattern = ["/usr/bin/"]\n',
      '3: `/usr/bin/` is a folder; write a program, with its path or without',
    ],
    [
      'a folder for what is typed into',
      '[[typed]]\ndecision = "prompt"\ntext = "x"\nprogram = "~/"\n',
      '4: `~/` is a folder; write a program, with its path or without',
    ],
    [
      'wildcards for a folder',
      '[[command]]\ndecision = "prompt"\npattern = "a"\ncwd = "/projects/*"\n',
      '4: `/projects/*` must be one folder, which stands for all below it; write it without wildcards',
    ],
    [
      'several lines for one',
      '[[typed]]\ndecision = "prompt"\ntext = "a\\nb"\n',
      '3: `a\\u000ab` has several lines; they are typed one by one, so list them as texts of their own',
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
    ...Object.entries({
      '.example.com': 'write `*.example.com` for all below it, or `example.com`',
      'example..com': 'two dots have no name between them',
      '.': 'write a name such as `example.com` or `*.example.com`, without a port',
      '*.': 'write a name such as `example.com` or `*.example.com`, without a port',
      'a,b': 'write a list of hosts: ["a","b"]',
      '999.1.1.1': 'its numbers are no address',
      'a.1': 'its numbers are no address',
      '*.127.0.0.1': 'an address has nothing below it',
      '*.::1': 'an address has nothing below it',
      'a:b': 'write a name such as `example.com` or `*.example.com`, without a port',
    }).map(([host, why]) => [
      `${host} for a host`,
      `[[host]]\ndecision = "allow"\nhost = "${host}"\n`,
      `3: \`${host}\` is no host; ${why}`,
    ]),
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
      const { rules, problems } = await read(text, inProject ? '/project' : undefined);
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

const INSIDE = ["'", '"', "''", '""', '\n', '\n[[host]]\n', '#', '\\\\', '[', ']]', '{', '= 1', 'x', '\r\n'];

/** A text of several lines in one of the ways to write it; not all are valid. */
const lines = fc
  .tuple(fc.constantFrom("'''", '"""'), fc.array(fc.constantFrom(...INSIDE), { maxLength: 8 }))
  .map(([quotes, inside]) => quotes + inside.join('') + quotes);
const value = fc.oneof(
  lines,
  fc.array(lines, { maxLength: 3 }).map((texts) => '[ # ]\n' + texts.join(',\n') + ']'),
  fc.constantFrom("''", '""', "'[['", '"[[\\\\\\""', '1', '{ a = [1] }'),
);

test('property: tables and keys are found where the parser finds them, whatever texts stand between', () => {
  let valid = 0;
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
      const text = values.map((each) => "[[host]] # '''\nkey = " + each + '\nlast = 0\n').join('');
      if (!isValid(text)) return;
      valid += 1;
      const places = tablePlaces(text).slice(1);
      expect(places.flatMap(({ name, line, keys }) => [[name, line]].concat([...keys]))).toEqual(statementsIn(text));
    }),
    propertyRuns(1_000),
  );
  expect(valid).toBeGreaterThan(100);
});

/** A line begins a statement if all before it is valid on its own. */
function statementsIn(text: string): readonly unknown[] {
  const rows = text.split('\n');
  return rows.flatMap((row, at) => {
    const [, name] = /^(?:\[\[)?(host|key|last)\b/.exec(row) ?? [];
    return name !== undefined && isValid(rows.slice(0, at).join('\n')) ? [[name, at + 1]] : [];
  });
}

function isValid(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
