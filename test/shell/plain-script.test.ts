import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readPlainScript } from '../../src/shell/plain-script.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

type Argv = readonly string[];

describe('what readPlainScript reads', () => {
  const cases: readonly (readonly [what: string, script: string, commands: readonly Argv[]])[] = [
    ['nothing', '', []],
    ['blank lines', ' \t\n\n ', []],
    ['only comments', '# one\n  # two $(x) `', []],
    ['one command', 'ls', [['ls']]],
    ['its options and paths', 'ls -la ./src/x.ts ../y_1', [['ls', '-la', './src/x.ts', '../y_1']]],
    ['a step after another', 'cd x && ls', [['cd', 'x'], ['ls']]],
    ['an alternative', 'a || b', [['a'], ['b']]],
    ['a pipeline', 'a x | b y|c', [['a', 'x'], ['b', 'y'], ['c']]],
    ['a sequence', 'a; b ;c;', [['a'], ['b'], ['c']]],
    ['lines', 'a\nb\n\nc\n', [['a'], ['b'], ['c']]],
    ['operators without blanks', 'a&&b||c|d;e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['a list that goes on after its operator', 'a &&\n\n  b |\n# why\nc', [['a'], ['b'], ['c']]],
    ['a command over several lines', 'a \\\n  -b \\\n  c', [['a', '-b', 'c']]],
    ['a list over several lines', 'a &&\\\nb', [['a'], ['b']]],
    ['a comment behind a command', 'a b # c; d\ne', [['a', 'b'], ['e']]],
    ['a comment behind an operator', 'a;#b\nc', [['a'], ['c']]],
    ['a comment that ends in a backslash', 'a # b \\\nc', [['a'], ['c']]],
    ['a first line that names the shell', '#!/bin/sh\na', [['a']]],
    ['a number sign inside a word', 'a b#c "d"#e', [['a', 'b#c', 'd#e']]],
    ['an escaped number sign', 'a \\#b', [['a', '#b']]],
    ['single quotes', `a 'b $c \`d\` "e" \\ * ~'`, [['a', 'b $c `d` "e" \\ * ~']]],
    ['double quotes', `a "b 'c' ; | & * ~ {d,e} (f) <g>"`, [['a', "b 'c' ; | & * ~ {d,e} (f) <g>"]]],
    ['escapes in double quotes', '"a" "\\$b \\`c \\"d \\\\e"', [['a', '$b `c "d \\e']]],
    ['backslashes that double quotes keep', 'a "\\n\\\'\\ \\!\\é"', [['a', "\\n\\'\\ \\!\\é"]]],
    ['a line joined in double quotes', 'a "b\\\nc"', [['a', 'bc']]],
    ['a backslash before a line end in single quotes', "a 'b\\\nc'", [['a', 'b\\\nc']]],
    ['quoted lines', 'a "b\n c"\'\n\'', [['a', 'b\n c\n']]],
    ['a pattern that ends in a dollar', 'grep "a$" "b$|c" "(d$)"', [['grep', 'a$', 'b$|c', '(d$)']]],
    ['empty words', `a "" '' b""`, [['a', '', '', 'b']]],
    ['an empty name', '"" a', [['', 'a']]],
    ['a word of several pieces', `a'b'"c"\\ d`, [['abc d']]],
    [
      'escaped operators',
      'find . \\( -name x \\) -exec a \\;',
      [['find', '.', '(', '-name', 'x', ')', '-exec', 'a', ';']],
    ],
    ['an escaped name', '\\ls \\-a', [['ls', '-a']]],
    ['a quoted reserved word', `'if' "then" \\fi`, [['if', 'then', 'fi']]],
    ['reserved words as arguments', 'a if time ! do', [['a', 'if', 'time', '!', 'do']]],
    ['equals signs in arguments', 'dd if=a --b=c = d', [['dd', 'if=a', '--b=c', '=', 'd']]],
    ['the arguments of a declaration', 'export A=b C="d e"', [['export', 'A=b', 'C=d e']]],
    ['revisions and addresses', 'git show HEAD^ a@b.c:d,e +f %g', [['git', 'show', 'HEAD^', 'a@b.c:d,e', '+f', '%g']]],
    ['letters of any script in quotes', "a 'é 文 🙂' # 文", [['a', 'é 文 🙂']]],
    ['the longest script', `a ${'b'.repeat(32 * 1024 - 2)}`, [['a', 'b'.repeat(32 * 1024 - 2)]]],
  ];

  test.each(cases)('%s', (_, script, commands) => {
    expect(readPlainScript(script)).toEqual(commands);
  });
});

describe('what readPlainScript refuses', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    variables: ['a $b', 'a "$b"', 'a ${b}', 'a "x${b}y"', '$a', 'a "$1"', 'a "$$"', 'a "$\\\nb"'],
    'dollars that may be variables': ['a $', 'a b$', 'a "$ "', 'a "$.b"'],
    'command substitution': ['a $(b)', 'a "$(b)"', 'a `b`', 'a "`b`"', '$(a)', 'a <(b)', 'a >(b)'],
    arithmetic: ['a $((1))', 'a $[1]', '((a))', 'a "$((1))"'],
    globs: ['a *', 'a b?', 'a [bc]', '[ -f a ]', 'a @(b)', 'a !(b)'],
    'braces and tildes': ['a {b,c}', 'a {1..3}', 'a {}', 'a ~', 'a ~/b', 'a b=~', 'a~'],
    'quoting that not every shell knows': ["a $'b'", "a $'\\n'", "a $'b\nc'", 'a $"b"'],
    redirections: ['a > b', 'a >> b', 'a < b', 'a 2>&1', 'a &> b', '> a', 'a >| b', 'a <<b\nc\nb', 'a <<< b'],
    background: ['a &', 'a & b', 'a && b &', 'a |& b'],
    assignments: ['a=b', 'a=b c', 'a+=b', 'a[0]=b', 'a=', 'a=b; c', 'a=(b)', '"a"=b'],
    'groups and functions': ['(a)', '{ a; }', 'a() { b; }', 'function a { b; }', 'function a\nb'],
    conditions: ['if a; then b; fi', 'case a in b) c;; esac', 'case a in\nesac', '[[ a ]]'],
    loops: ['while a; do b; done', 'until a\ndo b\ndone', 'for a in b; do c; done', 'select a in b; do c; done'],
    'prefixes of pipelines': ['time a', 'a | time b', 'time', '! a', '!', 'a && ! b', 'coproc a', 'a | coproc b'],
    'stray reserved words': ['then', 'do', 'in', '{', '}', 'a; fi', 'a | else'],
    'names of jobs': ['%', '%1', "'%a'", 'a; \\%b'],
    'unfinished quotes and lines': ["a '", 'a "', 'a "b\\"', 'a \\', 'a\\\n', "#'\n'", "a #b'\n'"],
    'words torn over lines': ['a\\\nb', 'a b\\\n#c', 'a\\ \\\nb', 'a\\\n b', '\\\na', 'a |\\\n| b'],
    'lists with a gap': ['&& a', 'a &&', 'a && && b', '| a', 'a |', 'a ||| b', 'a |&& b'],
    'lists with an end too many': ['; a', 'a ;; b', 'a\n; b', 'a\n| b', 'a; && b', 'a ;& b'],
    'misplaced parentheses': ['a(b', 'a)', 'a (b)', 'a()'],
    'control characters': ['a\rb', 'a\r\nb', "a '\r'", 'a \0b', "a '\u0001'", 'a\fb', 'a\vb', 'a \u007f', '# \u001b'],
    'bare letters beyond ASCII': ['a é', 'a\u00a0b', 'a 文', 'a \\é', 'a \u2028', '\ufeffa'],
    'half a character': ["a '\ud83d'", '# \udc00'],
    'a word that zsh looks up': ['=a', 'a =b', 'a ==', 'a \\\n=b'],
    'scripts beyond the limit': [`a ${'b'.repeat(32 * 1024)}`],
    'nesting beyond the stack': ['coproc ', 'function a ', 'if ', '(', 'a(){', '$(', '{ '].map((each) =>
      each.repeat((32 * 1024) / each.length),
    ),
  };

  test.each(Object.entries(cases))('%s', (_, scripts) => {
    expect(scripts.filter((script) => readPlainScript(script) !== undefined)).toEqual([]);
  });
});

/** What scripts are made of. Nothing here spells a path, or the name of a builtin that the shell below still has. */
const words = 'a bc a bc -x --k=v 1 . x.y'.split(' ');
const blanks = [' ', ' ', ' ', '\t', ' \\\n', ' # c\n'];
const operators = [';', ' ; ', ';\\\n', '\n', '\n#c\n', '&&', ' && ', '&&\\\n', '||', ' || ', '||\\\n', '|'];
const quotes = [
  "'q r'",
  '"d e"',
  '"\\z\\\ny"',
  "'\n'",
  ...String.raw`'"' "'" '' "" "\$x" "\\" "\`" "a$" "$|"`.split(' '),
];
const escapes = ['\\ ', ...String.raw`\; \# \\ \' \" \$ \* \= \a`.split(' ')];
const expansions = `$x $ $(a) \`a\` * ? [ab] ~ {a,b} $((1)) $[1] $'x' $"x"`.split(' ');
const syntax = '( ) { } (( [[ ]] < > >b <<a\n <<< <(a) & |& ;; ! = a=b a+= if fi do done time in coproc'.split(' ');
const marks = ['\\\n', "#'", '!!', ...'\'"\\`#\r\v\u00a0\u0001\u2028\ud83d🙂é^%@,-'];

const plain = fc.constantFrom(...words, ...quotes, ...escapes);
const gap = fc.constantFrom('', ...blanks, ...operators);
const wild = fc.oneof(plain, gap, fc.constantFrom(...expansions, ...syntax, ...marks));
const soup = fc.array(wild, { maxLength: 4 }).map((tokens) => tokens.join(''));

const anyPiece = fc.oneof(
  { weight: 20, arbitrary: plain },
  { weight: 2, arbitrary: soup.map((text) => `'${text}'`) },
  { weight: 2, arbitrary: soup.map((text) => `"${text}"`) },
  { weight: 1, arbitrary: wild },
);
const anyGap = fc.oneof({ weight: 20, arbitrary: gap }, { weight: 1, arbitrary: wild });
const anyScript = fc
  .array(fc.tuple(anyPiece, anyGap), { minLength: 1, maxLength: 6, size: 'max' })
  .map((tokens) => tokens.flat().join(''));

describe('readPlainScript', () => {
  test('gives every text an answer, and always the same', () => {
    const anyText = fc.oneof(
      anyScript,
      fc.array(wild, { size: 'large' }).map((tokens) => tokens.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(readPlainScript(text)).toEqual(readPlainScript(text));
      }),
      propertyRuns(500),
    );
  });

  test('foresees every command that bash runs', () => {
    const folder = tempFolder();
    for (const file of ['a', 'bc', '-x', 'q r']) writeFileSync(path.join(folder, file), '');
    fc.assert(
      fc.property(fc.array(anyScript, { maxLength: 400, size: 'max' }), (scripts) => {
        const accepted = scripts.filter((script) => readPlainScript(script) !== undefined);
        const ran = runInBash(accepted, folder);
        expect(accepted.flatMap((script, index) => surprises(script, ran[index] ?? []))).toEqual([]);
      }),
      propertyRuns(4),
    );
  });
});

/** The first command runs in any case: a shell that tells of none has not taken the script as it was meant. */
function surprises(script: string, ran: readonly Argv[]): readonly object[] {
  const foreseen = readPlainScript(script) ?? [];
  const unforeseen = ran.filter((argv) => !includes(foreseen, argv));
  const missing = foreseen.slice(0, 1).filter((argv) => !includes(ran, argv));
  return unforeseen.length + missing.length > 0 ? [{ script, unforeseen, missing }] : [];
}

function includes(argvs: readonly Argv[], wanted: Argv): boolean {
  return argvs.some((argv) => isDeepStrictEqual(argv, wanted));
}

/**
 * A shell in which every command only tells its words. Control characters part them, which no accepted script holds,
 * and line ends are replaced, since bash writes each line on its own and two commands of a pipeline would mix.
 */
const TELLING_SHELL = `
  exec 9>&1 >/dev/null 2>&1
  mapfile -d '' -t scripts
  tell() {
    printf '%s\\x1f' "$number" "$#" "\${@//$'\\n'/$'\\x1e'}" >&9
    return $(($# % 2))
  }
  for name in a bc abc -x 1 x.y; do
    eval "function $name { tell $name \\"\\$@\\"; }"
  done
  command_not_found_handle() { tell "$@"; }
  PATH=/nowhere
  FUNCNEST=8
  mapfile -t builtins < <(compgen -b)
  for name in "\${builtins[@]}"; do
    case $name in enable | eval | printf | return) ;; *) enable -n "$name" ;; esac
  done
  enable -n enable
  for number in "\${!scripts[@]}"; do
    eval -- "\${scripts[number]}"
  done
`;

/** The words of each command that ran, by script. */
function runInBash(scripts: readonly string[], folder: string): readonly (readonly Argv[])[] {
  const { stdout, status } = spawnSync('bash', ['--norc', '--noprofile', '-c', TELLING_SHELL], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8' },
    input: scripts.map((script) => `${script}\0`).join(''),
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 26,
  });
  if (status === null) throw new Error('bash did not come to an end');
  return commandsTold(stdout, scripts.length);
}

function commandsTold(told: string, scripts: number): readonly (readonly Argv[])[] {
  const commands: Argv[][] = Array.from({ length: scripts }, () => []);
  const fields = told.split('\u001f');
  for (let at = 0; at < fields.length - 1;) {
    const end = at + 2 + Number(fields[at + 1]);
    commands[Number(fields[at])]?.push(fields.slice(at + 2, end).map((word) => word.replaceAll('\u001e', '\n')));
    at = end;
  }
  return commands;
}
