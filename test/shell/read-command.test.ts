import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readPlainScript } from '../../src/shell/plain-script.js';
import { readArgv, readText } from '../../src/shell/read-command.js';
import { isExact } from '../../src/shell/reading.js';
import type { FileUse, Reading, Segment, Word } from '../../src/shell/reading.js';
import { propertyRuns } from '../support/property-runs.js';

/** How a reading is rendered is told at the end of this file. */
type ScriptCase = readonly [what: string, script: string, lines: readonly string[]];
type ArgvCase = readonly [what: string, argv: readonly string[], lines: readonly string[]];

const SURROUNDINGS = { cwd: '/w', home: '/h' };

describe('words are read:', () => {
  const cases: readonly ScriptCase[] = [
    ['plain words', 'ls -la ./x', ['ls -la ./x']],
    ['single quotes', "a 'b $c' x'y z'", ['a "b $c" "xy z"']],
    ['double quotes', 'a "b \\"c\\" \\$d" $x', ['a "b \\"c\\" $d" <…>']],
    ['an escaped blank', 'a b\\ c $x', ['a "b c" <…>']],
    ['a word over two lines', 'a b\\\nc $x', ['a bc <…>']],
    ['empty words', 'a \'\' "" $x', ['a "" "" <…>']],
    ['a variable, which may be any number of words', 'a $x b', ['a <…> b']],
    ['a quoted variable, which is one word', 'a "$x" "y${x}z"', ['a <> <y>']],
    ['the beginning of a word', 'a pre$x "pre$x"post --k=$v', ['a <pre…> <pre> <--k=…>']],
    ['all arguments, even in quotes', 'a "$@" "${x[@]}" "$*"', ['a <…> <…> <>']],
    ['a default value', 'a ${x:-b} "${x:-b c}"', ['a <…> <>']],
    ['ANSI escapes that are the same everywhere', "a $'b\\n\\t\\'c' $x", ['a "b\\n\\t\'c" <…>']],
    ['ANSI escapes for plain letters', "a $'\\x41\\102' $x", ['a AB <…>']],
    ['no other ANSI escapes', "a $'\\x0a' $'\\x41f' $'\\u00e9' $'\\0' $'\\1023'", ['a <> Af <> <> <>']],
    ['nothing behind which a parenthesis opens', 'ls (', ['ls', '! a part of it is not understood']],
    ['a translated string as unknown', 'a $"b"', ['a <>']],
    ['a dollar that is none', 'a "b$" $x', ['a b$ <…>']],
    ['revisions', 'git diff HEAD~1 HEAD^ @{u} stash@{0} $x', ['git diff HEAD~1 HEAD^ @{u} stash@{0} <…>']],
    ['no tilde where a path may begin', 'a ~b c=~/d e:~ $x', ['a <…> <c=…> <e:…> <…>']],
    ['no letters beyond ASCII outside of quotes', "a é 'é' $x", ['a <…> é <…>']],
    ['calculations with numbers alone', 'a $((1 + 2)) "$((3))"', ['a <…> <>']],
    ['a comment', 'a # b $(c)\n$x; d', ['a', '<…> ~>', '  ! its program is only known when it runs', 'd @ ?']],
    ['braces of find and jq as they are', "a {} '{}' . $x", ['a {} {} . <…>']],
    ['brackets and braces as words', 'a [ ] $x', ['a [ ] <…>']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('the home folder is known:', () => {
  const cases: readonly ScriptCase[] = [
    ['a tilde', 'a ~ ~/b "~" \\~ ~c x=~ $x', ['a /h /h/b ~ ~ <…> <x=…> <…>']],
    ['the variable', 'a $HOME "$HOME/b" ${HOME}/c $x', ['a /h /h/b /h/c <…>']],
    ['no tilde with a quote behind it', 'a ~"" ~"/b"', ['a <…> <…>']],
    ['no home that the script sets', 'HOME=/x; a ~ "$HOME"', ['a <…> <> (HOME)']],
    ['no home that is set for one command', 'HOME=/x a ~; f ~', ['a <…> (HOME)', 'f <…>']],
    ['no home that is exported', 'export HOME=/x; a ~/b $x', ['export HOME=/x (HOME)', 'a <…> <…> (HOME)']],
    ['no home that is read', 'read HOME; a ~', ['read HOME (HOME)', 'a <…> (HOME)']],
    ['no home that is printed into', 'printf -vHOME x; a ~', ['printf -vHOME x (HOME)', 'a <…> (HOME)']],
    [
      'no home that is unset',
      'builtin unset HOME; a ~',
      ['builtin unset HOME (HOME) ->', '  unset HOME (HOME)', 'a <…> (HOME) @ ?'],
    ],
    ['no home that a loop sets', 'for HOME in a b; do c ~; done', ['c <…> (HOME)']],
    ['no home that a default sets', ': ${HOME:=x}; a ~', [': <…> (HOME)', 'a <…> (HOME)']],
    ['no home that a descriptor sets', 'exec {HOME}>f; a ~', ['exec (HOME)', 'a <…> (HOME)', '> /w/f']],
    ['no home where words may be split at any letter', 'IFS=h; a $HOME', ['a <…> (IFS)']],
    [
      'the home of a shell inside',
      "bash -c 'a ~'; $x",
      ['bash -c "a ~" ->', '  a /h', '<…> ~>', '  ! its program is only known when it runs'],
    ],
    ['no home of a shell that is given another', "HOME=/x bash -c 'a ~'", ['bash -c "a ~" (HOME) ->', '  a <…>']],
    [
      'no home that env sets',
      "env HOME=/x bash -c 'a ~'",
      ['env HOME=/x bash -c "a ~" ->', '  bash -c "a ~" (HOME) ->', '    a <…>'],
    ],
    [
      'no home that env takes away',
      "env -i bash -c 'a ~'; env -u HOME bash -c 'a ~'",
      [
        'env -i bash -c "a ~" ->',
        '  bash -c "a ~" ->',
        '    a <…>',
        'env -u HOME bash -c "a ~" ->',
        '  bash -c "a ~" ->',
        '    a <…>',
      ],
    ],
    ['no home of another user', "sudo bash -c 'a ~'", ['sudo bash -c "a ~" ~>', '  bash -c "a ~" ->', '    a <…>']],
    [
      'no home behind an exported one in a plain script',
      'export HOME=/x; cd; a',
      ['export HOME=/x (HOME)', 'cd (HOME)', 'a (HOME) @ ?'],
    ],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('what a shell expands is known by its beginning:', () => {
  const cases: readonly ScriptCase[] = [
    ['globs', 'a * b* ?c [de] "f"*', ['a <…> <b…> <…> <…> <f…>']],
    ['brace expansion', 'a {b,c} d{1..3} {e,"f g"} {h', ['a <…> <d…> <…> <…>']],
    ['extended globs', 'a @(b|c) x!(d)', ['a <…> <x…>']],
    ['a glob in quotes', "a '*' \\* $x", ['a * * <…>']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('commands within words are found:', () => {
  const cases: readonly ScriptCase[] = [
    ['a command', 'a $(b c)', ['b c', 'a <…>']],
    ['backticks', 'a `b c`', ['b c', 'a <…>']],
    ['a command in quotes', 'a "x$(b c)"', ['b c', 'a <x>']],
    ['commands in commands', 'a $(b $(c `d`))', ['d', 'c <…>', 'b <…>', 'a <…>']],
    ['a command in a default', 'a ${x:-$(b)} "${y/$(c)/d}"', ['b', 'c', 'a <…> <>']],
    ['processes', 'a <(b) >(c)', ['b', 'c', 'a <…> <…>']],
    ['a command in an assignment', 'x=$(a b)', ['a b']],
    ['a command in an array', 'x=(a $(b))', ['b']],
    ['a command in a here-document', 'a <<E\n$(b)\nE', ['b', 'a']],
    ['a here-document in a substitution', 'git commit -m "$(cat <<\'E\'\na $b\nE\n)"', ['cat', 'git commit -m <>']],
    ['a command in a redirection', 'a > $(b)', ['b', 'a', '> ? <…>']],
    ['a command in a pattern', 'case x in $(a)) b;; esac', ['a', 'b']],
    ['a command in a condition', '[[ -n $(a) ]]', ['a']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('commands are found wherever they stand:', () => {
  const cases: readonly ScriptCase[] = [
    ['pipelines', 'a $x | b |& c', ['a <…>', 'b', 'c']],
    ['steps and alternatives', 'a $x && b || c; d', ['a <…>', 'b', 'c', 'd']],
    ['background', 'a & b $x &', ['a', 'b <…>']],
    ['negation and time', '! a $x; time -p b', ['a <…>', 'b']],
    ['groups', '{ a; b $x; }', ['a', 'b <…>']],
    ['subshells', '(a; (b $x))', ['a', 'b <…>']],
    ['if', 'if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for', 'for i in $(a) b; do c $i; done', ['a', 'c <…>']],
    ['while and until', 'while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['case', 'case $x in a|b) c;; *) d;& e) f;; esac', ['c', 'd', 'f']],
    ['select', 'select x in a; do b; done', ['b']],
    ['functions', 'f() { a "$1"; }; function g { b; }; f x', ['a <>', 'b', 'f x']],
    ['conditions', '[[ -f a && $x == b* ]] && c', ['c']],
    ['a calculation with numbers', '((1 + 2)) && a', ['a']],
    ['a script without commands', '# nothing', []],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('files that redirections open are told:', () => {
  const cases: readonly ScriptCase[] = [
    ['writing', 'a >b >>c >|d 2>e', ['a', '> /w/b', '> /w/c', '> /w/d', '> /w/e']],
    ['reading', 'a <b', ['a', '< /w/b']],
    ['reading and writing', 'a <>b', ['a', '> /w/b']],
    ['both outputs', 'a &>b &>>c >&d', ['a', '> /w/b', '> /w/c', '> /w/d']],
    ['descriptors', 'a 2>&1 >&2 3>&1- <&- >&-', ['a']],
    ['a descriptor in a variable', 'a {fd}>b', ['a', '> /w/b']],
    ['a redirection alone', '> a', ['> /w/a']],
    ['a redirection before the command', '<a >b c', ['c', '< /w/a', '> /w/b']],
    [
      'redirections of groups, loops and functions',
      '{ a; } >b; while c; do d; done <e; f() { g; } >h',
      ['a', 'c', 'd', 'g', '> /w/b', '< /w/e', '> /w/h'],
    ],
    ['home and absolute paths', 'a >~/b >/c', ['a', '> /h/b', '> /c']],
    ['paths that are known later', 'a >$x >b$y <*', ['a', '> ? <…>', '> ? <b…>', '< ? <…>']],
    ['here-documents', 'cat <<E >f\nb $x\nE', ['cat', '> /w/f']],
    ['here-strings', 'a <<< "b $x"', ['a']],
    ['files of commands inside', 'a $(b >c)', ['b', 'a <…>', '> /w/c']],
    [
      'files of a script inside',
      "bash -c 'a >b'; $x",
      ['bash -c "a >b" ->', '  a', '  > /w/b', '<…> ~>', '  ! its program is only known when it runs'],
    ],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('variables that are set for a command are told:', () => {
  const cases: readonly ScriptCase[] = [
    ['those of one command', 'A=1 b=2 c; d $x', ['c (A b)', 'd <…>']],
    ['those of all commands', 'A=1; b=2; c', ['c (A)']],
    [
      'exported ones in any case',
      'export http_proxy=x A; c',
      ['export http_proxy=x A (http_proxy A)', 'c (http_proxy A)'],
    ],
    ['declared ones', 'declare -x a=1 B=$x; c', ['declare -x a=1 <B=> (a B)', 'c (a B)']],
    ['ones that are read', 'read PATH <<< /x; ls', ['read PATH (PATH)', 'ls (PATH)']],
    ['ones that are printed into', 'printf -v PATH x; ls', ['printf -v PATH x (PATH)', 'ls (PATH)']],
    ['ones that are unset', 'unset PATH; ls', ['unset PATH (PATH)', 'ls (PATH)']],
    [
      'ones set through command',
      'command export PATH=/x; ls',
      ['command export PATH=/x (PATH) ->', '  export PATH=/x (PATH)', 'ls (PATH) @ ?'],
    ],
    ['ones of a loop', 'for PATH in x; do ls; done', ['ls (PATH)']],
    ['ones of a default', ': ${PATH:=x}; ls', [': <…> (PATH)', 'ls (PATH)']],
    ['ones set before a function, in all of it', 'f() { ls; }; PATH=/x f', ['ls (PATH)', 'f (PATH)']],
    ['ones that env sets', 'env A=1 b-c=2 d', ['env A=1 b-c=2 d ->', '  d (A b-c)']],
    ['appended ones', 'PATH+=:/x; ls', ['ls (PATH)']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('the folders a command may start in are told:', () => {
  const cases: readonly ScriptCase[] = [
    ['after cd', 'cd sub && a', ['cd sub', 'a @ /w /w/sub']],
    ['after cd to a path', 'cd /x; a', ['cd /x', 'a @ /w /x']],
    ['after cd home', 'cd; a; cd ~/x; b', ['cd', 'a @ /w /h', 'cd /h/x @ /w /h', 'b @ /w /h /h/x']],
    [
      'after several',
      'cd a; cd b; c $x >d',
      ['cd a', 'cd b @ /w /w/a', 'c <…> @ /w /w/a /w/b /w/a/b', '> /w/d /w/a/d /w/b/d /w/a/b/d'],
    ],
    ['after cd with options', 'cd -P -- sub; a', ['cd -P -- sub', 'a @ /w /w/sub']],
    ['after cd up, by name and by link', 'cd link/..; a', ['cd link/..', 'a @ /w /w/link/..']],
    ['after cd to what is known later', 'cd "$x"; a >b', ['cd <>', 'a @ ?', '> ? b']],
    ['after cd back', 'cd -; a', ['cd -', 'a @ ?']],
    ['after a cd that may have failed', 'cd sub || a; b', ['cd sub', 'a @ /w /w/sub', 'b @ /w /w/sub']],
    ['in a subshell and after it', '(cd sub; a $x); b', ['cd sub', 'a <…> @ /w /w/sub', 'b @ /w /w/sub']],
    ['in a loop', 'while a; do b >c; cd sub; done', ['a @ ?', 'b @ ?', 'cd sub @ ?', '> ? c']],
    ['in a function', 'f() { cd sub; }; f; a >b', ['cd sub @ ?', 'f @ ?', 'a @ ?', '> ? b']],
    [
      'in a loop, through command',
      'while a; do b >c; command cd sub; done',
      ['a @ ?', 'b @ ?', 'command cd sub @ ? ->', '  cd sub @ ?', '> ? c'],
    ],
    ['after eval and source', 'eval "cd sub"; a', ['eval "cd sub" ->', '  cd sub', 'a @ ?']],
    ['after a trap', "trap 'cd sub' DEBUG; a >b", ['trap "cd sub" DEBUG ->', '  cd sub @ ?', 'a @ ?', '> ? b']],
    ['in a trap', "trap 'a >b' EXIT; cd sub", ['trap "a >b" EXIT ->', '  a @ ?', '  > ? b', 'cd sub @ ?']],
    ['with CDPATH', 'CDPATH=/x; cd sub; a', ['cd sub (CDPATH) @ ?', 'a (CDPATH) @ ?']],
    ['with CDPATH for one cd', 'CDPATH=/x cd sub; a', ['cd sub (CDPATH) @ ?', 'a @ ?']],
    [
      'after too many',
      'cd d0; cd d1; cd d2; cd d3; cd d4; cd d5; a',
      [
        'cd d0',
        'cd d1 @ /w /w/d0',
        'cd d2 @ /w /w/d0 /w/d1 /w/d0/d1',
        'cd d3 @ /w /w/d0 /w/d1 /w/d0/d1 /w/d2 /w/d0/d2 /w/d1/d2 /w/d0/d1/d2',
        'cd d4 @ /w /w/d0 /w/d1 /w/d0/d1 /w/d2 /w/d0/d2 /w/d1/d2 /w/d0/d1/d2 /w/d3 /w/d0/d3 /w/d1/d3 /w/d0/d1/d3 /w/d2/d3 /w/d0/d2/d3 /w/d1/d2/d3 /w/d0/d1/d2/d3',
        'cd d5 @ ?',
        'a @ ?',
      ],
    ],
    [
      'in a shell inside',
      "cd sub; bash -c 'a >b'",
      ['cd sub', 'bash -c "a >b" @ /w /w/sub ->', '  a @ /w /w/sub', '  > /w/b /w/sub/b'],
    ],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('what a program runs in turn is read:', () => {
  const cases: readonly ArgvCase[] = [
    ['bash', ['bash', '-c', 'a b'], ['bash -c "a b" ->', '  a b']],
    ['a login shell', ['bash', '-lc', 'a'], ['bash -lc a ->', '  a']],
    ['bash with options', ['bash', '-euo', 'pipefail', '-c', 'a'], ['bash -euo pipefail -c a ->', '  a']],
    [
      'bash with options one by one',
      ['/bin/bash', '-e', '-o', 'nounset', '-x', '-c', 'a', 'name', 'arg'],
      ['/bin/bash -e -o nounset -x -c a name arg ->', '  a'],
    ],
    ['bash with the end of options', ['bash', '-c', '--', 'a'], ['bash -c -- a ->', '  a']],
    [
      'bash with long options',
      ['bash', '--norc', '--noprofile', '-c', 'a'],
      ['bash --norc --noprofile -c a ->', '  a'],
    ],
    [
      'a shell in a shell in a shell',
      ['bash', '-c', 'sh -c "bash -c a"'],
      ['bash -c "sh -c \\"bash -c a\\"" ->', '  sh -c "bash -c a" ->', '    bash -c a ->', '      a'],
    ],
    ["a shell that is not the system's", ['./bash', '-c', 'a'], ['./bash -c a ~>', '  a']],
    ['a shell with settings of other kinds', ['bash', '-O', 'extglob', '-c', 'a'], ['bash -O extglob -c a ~>', '  a']],
    ['an interactive shell', ['bash', '-ic', 'a'], ['bash -ic a ~>', '  a']],
    ['a shell with a file', ['bash', 'x.sh', '-c', 'a'], ['bash x.sh -c a']],
    ['a shell that tells its version', ['bash', '--version'], ['bash --version']],
    ['sudo', ['sudo', '-n', '-u', 'root', '--', 'rm', '-rf', 'x'], ['sudo -n -u root -- rm -rf x ~>', '  rm -rf x']],
    ['sudo with variables and a folder', ['sudo', 'A=1', '-b'], ['sudo A=1 -b ~>', '  -b (A)']],
    ['sudo in another folder', ['sudo', '--chdir=/x', 'a'], ['sudo --chdir=/x a ~>', '  a @ ?']],
    ['doas', ['doas', '-u', 'x', 'a'], ['doas -u x a ~>', '  a']],
    ['env', ['env', '-u', 'X', 'A=1', 'B=2', 'a', 'b'], ['env -u X A=1 B=2 a b ->', '  a b (A B)']],
    ['env in another folder', ['env', '-C', '/x', 'a'], ['env -C /x a ->', '  a @ ?']],
    ['env alone', ['env'], ['env']],
    ['timeout', ['timeout', '-k', '5', '-s', 'KILL', '10s', 'a', 'b'], ['timeout -k 5 -s KILL 10s a b ->', '  a b']],
    [
      'timeout with long options',
      ['timeout', '--kill-after=5', '--foreground', '10', 'a'],
      ['timeout --kill-after=5 --foreground 10 a ->', '  a'],
    ],
    ['nice', ['nice', '-n', '5', 'a'], ['nice -n 5 a ->', '  a']],
    ['nice with a number', ['nice', '-10', 'a'], ['nice -10 a ->', '  a']],
    ['nohup', ['nohup', 'a', 'b'], ['nohup a b ~>', '  a b']],
    ['stdbuf', ['stdbuf', '-oL', '--error=0', 'a'], ['stdbuf -oL --error=0 a ->', '  a']],
    [
      'ionice and setsid',
      ['ionice', '-c3', 'setsid', '-w', 'a'],
      ['ionice -c3 setsid -w a ->', '  setsid -w a ->', '    a'],
    ],
    ['command', ['command', 'a', 'b'], ['command a b ->', '  a b']],
    ['command that looks up', ['command', '-v', 'a'], ['command -v a']],
    ['exec', ['exec', '-c', 'a', 'b'], ['exec -c a b ->', '  a b']],
    [
      'exec that gives a program another name',
      ['exec', '-a', 'git-clean', 'git', 'log'],
      expect.arrayContaining([
        'exec -a git-clean git log ~>',
        '  ! it is not clear where the command behind it begins',
      ]),
    ],
    ['a program of the project that is called like a wrapper', ['./timeout', '5', 'a'], ['./timeout 5 a ~>', '  a']],
    ['a wrapper where the system keeps it', ['/usr/bin/timeout', '5', 'a'], ['/usr/bin/timeout 5 a ->', '  a']],
    ['a program that is called like a builtin', ['/usr/bin/eval', 'a'], ['/usr/bin/eval a ~>', '  a']],
    ['builtin', ['builtin', 'cd', 'a'], ['builtin cd a ->', '  cd a']],
    ['xargs', ['xargs', '-0', '-n', '1', 'a', 'b'], ['xargs -0 -n 1 a b ->', '  a b <…>']],
    ['xargs alone', ['xargs'], ['xargs ->', '  echo <…>']],
    ['xargs with a mark', ['xargs', '-I{}', 'a', 'x{}y', 'b'], ['xargs -I{} a x{}y b ->', '  a <x> b']],
    [
      'xargs with a shell',
      ['xargs', '-I', '%', 'sh', '-c', 'a %'],
      ['xargs -I % sh -c "a %" ->', '  sh -c <a > ~>', '    ! its script is only known when it runs'],
    ],
    [
      'xargs with a shell and arguments',
      ['xargs', 'sh', '-c', 'a "$@"', '_'],
      ['xargs sh -c "a \\"$@\\"" _ ->', '  sh -c "a \\"$@\\"" _ <…> ->', '    a <…>'],
    ],
    [
      'find',
      ['find', '.', '-name', '*.js', '-exec', 'a', '{}', 'b{}', ';', '-execdir', 'c', '{}', '+'],
      ['find . -name *.js -exec a {} b{} ; -execdir c {} + ->', '  a <…> <b…>', '  c <…> @ ?'],
    ],
    ['find that deletes', ['find', '.', '-exec', 'a', ';', '-delete'], ['find . -exec a ; -delete ~>', '  a']],
    ['find that only finds', ['find', '.', '-name', 'x'], ['find . -name x']],
    [
      'find with a shell',
      ['find', '.', '-exec', 'sh', '-c', 'a "$1"', '_', '{}', ';'],
      ['find . -exec sh -c "a \\"$1\\"" _ {} ; ->', '  sh -c "a \\"$1\\"" _ <…> ->', '    a <>'],
    ],
    ['eval', ['eval', 'a', 'b; c'], ['eval a "b; c" ->', '  a b', '  c']],
    ['trap', ['trap', 'a; b', 'EXIT'], ['trap "a; b" EXIT ->', '  a @ ?', '  b @ ?']],
    ['trap that resets', ['trap', '-', 'EXIT'], ['trap - EXIT']],
    ['busybox', ['busybox', 'rm', '-rf', 'x'], ['busybox rm -rf x ~>', '  rm -rf x']],
    ['strace', ['strace', '-f', '-o', 'x', 'a', 'b'], ['strace -f -o x a b ~>', '  x a b @ ?', '  a b @ ?', '  b @ ?']],
    ['time as a program', ['/usr/bin/time', '-v', 'a'], ['/usr/bin/time -v a ~>', '  a @ ?']],
    [
      'ssh',
      ['ssh', 'host', 'rm -rf x; a'],
      [
        'ssh host "rm -rf x; a" ~>',
        '  host "rm -rf x; a" @ ?',
        '  rm -rf x @ ?',
        '  a @ ?',
        '  "rm -rf x; a" @ ?',
        '  ! it gives its words to a shell',
      ],
    ],
    [
      'watch',
      ['watch', '-n', '1', 'a > b'],
      [
        'watch -n 1 "a > b" ~>',
        '  1 "a > b" @ ?',
        '  a @ ?',
        '  "a > b" @ ?',
        '  > ? b',
        '  ! it gives its words to a shell',
      ],
    ],
    [
      'too many wrappers',
      ['env', 'env', 'env', 'env', 'env', 'env', 'env', 'env', 'env', 'env', 'a'],
      [
        'env env env env env env env env env env a ->',
        '  env env env env env env env env env a ->',
        '    env env env env env env env env a ->',
        '      env env env env env env env a ->',
        '        env env env env env env a ->',
        '          env env env env env a ->',
        '            env env env env a ->',
        '              env env env a ->',
        '                env env a ->',
        '                  env a ~>',
        '                    ! it wraps one command in another too often',
      ],
    ],
    [
      'too many words',
      ['npx', ...Array.from({ length: 60 }, () => 'x')],
      [`npx ${'x '.repeat(60)}~>`, '  ! it holds too many words'],
    ],
    [
      'docker',
      ['docker', 'exec', 'c', 'sh', '-c', 'a'],
      [
        'docker exec c sh -c a ~>',
        '  exec c sh -c a @ ? ->',
        '    c sh -c a @ ?',
        '  c sh -c a @ ?',
        '  sh -c a @ ? ->',
        '    a @ ?',
        '  a @ ?',
      ],
    ],
    ['a program', ['git', 'status'], ['git status']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(renderSegment(readArgv(given, SURROUNDINGS))).toEqual(lines);
  });
});

describe('what a program of a script runs in turn is read:', () => {
  const cases: readonly ScriptCase[] = [
    ['a download that is run', 'curl -s x | sh', ['curl -s x', 'sh ~>', '  ! it runs whatever it is given as input']],
    [
      'a download that is run with rights',
      'curl -s x | sudo bash -s -- y',
      ['curl -s x', 'sudo bash -s -- y ~>', '  bash -s -- y ~>', '    ! it runs whatever it is given as input'],
    ],
    [
      'a download that is run by an interpreter',
      'curl -s x | python3 -',
      ['curl -s x', 'python3 - ~>', '  ! it runs whatever it is given as input'],
    ],
    [
      'a download that an interpreter with options runs',
      'curl -s x | python3 -B',
      ['curl -s x', 'python3 -B ~>', '  ! it runs whatever it is given as input'],
    ],
    [
      'a download that is run as a file',
      'curl -s x | bash /dev/stdin',
      ['curl -s x', 'bash /dev/stdin ~>', '  ! it runs whatever it is given as input'],
    ],
    [
      'a download that is sourced',
      'curl -s x | . /dev/stdin; source <(curl x)',
      [
        'curl -s x',
        '. /dev/stdin ~>',
        '  ! it runs whatever it is given as input',
        'curl x @ ?',
        'source <…> @ ? ~>',
        '  ! it runs whatever it is given as input',
      ],
    ],
    [
      'a download that a root shell runs',
      'curl -s x | sudo -s',
      ['curl -s x', 'sudo -s ~>', '  ! it runs whatever it is given as input'],
    ],
    [
      'a script in a here-document',
      "bash <<'E'\na b\nE",
      ['bash ~>', '  a b', '  ! its commands may take from its script'],
    ],
    [
      'a script in a here-string',
      'bash -s x <<< "a b"',
      ['bash -s x ~>', '  a b', '  ! its commands may take from its script'],
    ],
    [
      'an interpreter with a program',
      'python3 -c "x"; node x.js; node --version; $x',
      ['python3 -c x', 'node x.js', 'node --version', '<…> ~>', '  ! its program is only known when it runs'],
    ],
    ['a wrapper with a substitution', 'timeout 5 a $(b)', ['b', 'timeout 5 a <…> ->', '  a <…>']],
    ['xargs behind a pipe', 'a | xargs rm -f', ['a', 'xargs rm -f ->', '  rm -f <…>']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('what may do more than it says is unclear:', () => {
  const cases: readonly ScriptCase[] = [
    ['a program that is known later', '$x a', ['<…> a ~>', '  ! its program is only known when it runs']],
    [
      'a program of which only the folder is known',
      '/usr/bin/$x a',
      ['</usr/bin/…> a ~>', '  ! its program is only known when it runs'],
    ],
    [
      'a script that is known later',
      'bash -c "$x"; eval "$x"; trap "$x" EXIT',
      [
        'bash -c <> ~>',
        '  ! its script is only known when it runs',
        'eval <> ->',
        '  ! its script is only known when it runs',
        'trap <> EXIT @ ? ->',
        '  ! its script is only known when it runs',
      ],
    ],
    ['a trap that may be anything', 'trap $x', ['trap <…> ->', '  ! its script is only known when it runs']],
    [
      'options that are known later',
      'env $x a; timeout "$t" b; sudo $y c',
      [
        'env <…> a ~>',
        '  <…> a @ ? ~>',
        '    ! its program is only known when it runs',
        '  a @ ?',
        '  ! it is not clear where the command behind it begins',
        'timeout <> b ~>',
        '  <> b @ ? ~>',
        '    ! its program is only known when it runs',
        '  b @ ?',
        '  ! it is not clear where the command behind it begins',
        'sudo <…> c ~>',
        '  <…> c @ ? ~>',
        '    ! its program is only known when it runs',
        '  c @ ?',
        '  ! it is not clear where the command behind it begins',
      ],
    ],
    [
      'a variable of env that may be more',
      'env A=$x a',
      ['env <A=…> a ~>', '  a @ ?', '  ! it is not clear where the command behind it begins'],
    ],
    [
      'options that are not known',
      'env -S "a b"; nice --5 b; xargs --replace c {}; xargs -i d {}',
      [
        'env -S "a b" ~>',
        '  a b @ ?',
        '  "a b" @ ?',
        '  ! it is not clear where the command behind it begins',
        'nice --5 b ~>',
        '  b @ ?',
        '  ! it is not clear where the command behind it begins',
        'xargs --replace c {} ~>',
        '  c {} @ ?',
        '  {} @ ?',
        '  ! it is not clear where the command behind it begins',
        'xargs -i d {} ~>',
        '  d {} @ ?',
        '  {} @ ?',
        '  ! it is not clear where the command behind it begins',
      ],
    ],
    [
      'options of xargs that exclude each other',
      'xargs -I{} -n2 a {}',
      ['xargs -I{} -n2 a {} ~>', '  a {} @ ?', '  {} @ ?', '  ! it is not clear where the command behind it begins'],
    ],
    [
      'a program that xargs is given',
      'xargs env; xargs -I{} {} a',
      [
        'xargs env ->',
        '  env <…> ~>',
        '    <…> @ ? ~>',
        '      ! its program is only known when it runs',
        '    ! it is not clear where the command behind it begins',
        'xargs -I{} {} a ->',
        '  <> a ~>',
        '    ! its program is only known when it runs',
      ],
    ],
    [
      'a command that find may be told',
      'find $x; find . "$y"',
      ['find <…> ->', '  ! find may be told to run something', 'find . <> ->', '  ! find may be told to run something'],
    ],
    [
      'a long option with one dash',
      'bash -rcfile x -c a; bash -norc -c b',
      [
        'bash -rcfile x -c a ~>',
        '  ! its script is only known when it runs',
        'bash -norc -c b ~>',
        '  ! its script is only known when it runs',
      ],
    ],
    [
      'an option with a plus',
      "bash +c 'a'; bash --posix -c b",
      [
        'bash +c a ~>',
        '  ! its script is only known when it runs',
        'bash --posix -c b ~>',
        '  ! its script is only known when it runs',
      ],
    ],
    [
      'an index',
      'a ${x[i]} ${x[0]} ${x[$y]}',
      ['a <…> <…> <…>', '! it expands a variable in a way that may run commands'],
    ],
    ['an index that is set', 'x[i]=1; x[0]=1', ['! it calculates with variables, whose values may run commands']],
    ['an index in an array', 'x=([i]=1)', ['! it calculates with variables, whose values may run commands']],
    [
      'an index of a descriptor',
      'exec {x[i]}>f',
      ['exec (x[i])', '> /w/f', '! it calculates with variables, whose values may run commands'],
    ],
    ['a variable of a variable', 'a ${!x}', ['a <…>', '! it expands a variable in a way that may run commands']],
    ['a transformation', 'a ${x@P}', ['a <…>', '! it expands a variable in a way that may run commands']],
    ['a part that is calculated', 'a ${x:i}', ['a <…>', '! it expands a variable in a way that may run commands']],
    ['no part that is given in numbers', 'a ${x:1:2} ${x: -1}', ['a <…> <…>']],
    ['a calculation', 'a $((x + 1))', ['a <…>', '! it calculates with variables, whose values may run commands']],
    [
      'a calculation in the old way',
      'a $[x]',
      ['a <…>', '! it calculates with variables, whose values may run commands'],
    ],
    [
      'a calculation with what a command says',
      'a $(( $(b) ))',
      ['b', 'a <…>', '! it calculates with variables, whose values may run commands'],
    ],
    ['a calculation as a command', '((x++))', ['! it calculates with variables, whose values may run commands']],
    [
      'a loop that calculates',
      'for ((;;)); do a; done',
      ['a', '! it calculates with variables, whose values may run commands'],
    ],
    ['let', 'let x=1', ['let x=1 ~>', '  ! it calculates with variables, whose values may run commands']],
    [
      'a comparison of numbers',
      '[[ $x -eq 1 ]]; [[ 1 -eq 1 ]]',
      ['! it calculates with variables, whose values may run commands'],
    ],
    ['a variable that is tested for', '[[ -v x ]]', ['! it calculates with variables, whose values may run commands']],
    [
      'a variable that test looks up',
      '[ -v "$x" ]; test -v "a[i]"',
      [
        '[ -v <> ] ~>',
        '  ! it calculates with variables, whose values may run commands',
        'test -v a[i] ~>',
        '  ! it calculates with variables, whose values may run commands',
      ],
    ],
    [
      'a test that may look one up',
      '[ $x ]; [ "$a" "$b" ]',
      [
        '[ <…> ] ~>',
        '  ! it calculates with variables, whose values may run commands',
        '[ <> <> ] ~>',
        '  ! it calculates with variables, whose values may run commands',
      ],
    ],
    [
      'no test of the usual kinds',
      '[ -v x ] && [ "$a" = "$b" ] && [ -n "$x" ] && [ $? -eq 0 ] && test "$x"',
      ['[ -v x ]', '[ <> = <> ]', '[ -n <> ]', '[ <…> -eq 0 ]', 'test <>'],
    ],
    [
      'a name that is known later',
      'read "$x"; unset $y; printf -v "$z" a; export "$w"; wait $p',
      [
        'read <> ~>',
        '  ! it calculates with variables, whose values may run commands',
        'unset <…> ~>',
        '  ! it calculates with variables, whose values may run commands',
        'printf -v <> a ~>',
        '  ! it calculates with variables, whose values may run commands',
        'export <> ~>',
        '  ! it calculates with variables, whose values may run commands',
        'wait <…> ~>',
        '  ! it calculates with variables, whose values may run commands',
      ],
    ],
    [
      'a declaration that evaluates',
      'declare -i x=y; local -n z=a; declare -a "q=(b)"',
      [
        'declare -i x=y ~>',
        '  ! it calculates with variables, whose values may run commands',
        'local -n z=a ~>',
        '  ! it calculates with variables, whose values may run commands',
        'declare -a q=(b) ~>',
        '  ! it calculates with variables, whose values may run commands',
      ],
    ],
    [
      'an array that is declared from a variable',
      'x=(1); declare x="$y"',
      ['declare <x=>', '! it calculates with variables, whose values may run commands'],
    ],
    ['a descriptor that is known later', 'a >&$x', ['a', '> ? <…>', '! a redirection is expanded once more']],
    [
      'an array of the shell',
      'declare PIPESTATUS="$y"',
      ['declare <PIPESTATUS=> (PIPESTATUS) ~>', '  ! it calculates with variables, whose values may run commands'],
    ],
    [
      'no declaration of the usual kinds',
      'f() { local x="$1" y; readonly A=b; export C=$x; }',
      ['local <x=> y (A C)', 'readonly A=b (A C)', 'export <C=> (A C)'],
    ],
    [
      'a format that may be an option',
      'printf "$x" "$y"',
      ['printf <> <> ~>', '  ! it calculates with variables, whose values may run commands'],
    ],
    [
      'no format of the usual kinds',
      'printf "$x"; printf "%s\\n" "$y" $z; printf -v a b',
      ['printf <>', 'printf %s\\n <> <…>', 'printf -v a b'],
    ],
    [
      'lines that call back',
      'mapfile -C a -c 1; readarray -t x',
      ['mapfile -C a -c 1 ~>', '  ! it calculates with variables, whose values may run commands', 'readarray -t x'],
    ],
    ['an alias', 'alias a=b\na', ['alias a=b ~>', '  ! it changes what the names of commands stand for', 'a']],
    [
      'other names for commands',
      'hash -p /x a; enable -f x y; compgen -C a; hash -r',
      [
        'hash -p /x a ~>',
        '  ! it changes what the names of commands stand for',
        'enable -f x y ~>',
        '  ! it changes what the names of commands stand for',
        'compgen -C a ~>',
        '  ! it changes what the names of commands stand for',
        'hash -r',
      ],
    ],
    [
      'settings that change the reading',
      'set -k; set -o history; shopt -s expand_aliases; set -a; set $x',
      [
        'set -k ~>',
        '  ! it changes how the shell reads what follows',
        'set -o history ~>',
        '  ! it changes how the shell reads what follows',
        'shopt -s expand_aliases ~>',
        '  ! it changes how the shell reads what follows',
        'set -a ~>',
        '  ! it changes how the shell reads what follows',
        'set <…> ~>',
        '  ! it changes how the shell reads what follows',
      ],
    ],
    [
      'no settings of the usual kinds',
      'set -euo pipefail; set -x; set -- $x; shopt -s nullglob',
      ['set -euo pipefail', 'set -x', 'set -- <…>', 'shopt -s nullglob'],
    ],
    [
      'a prompt that is evaluated',
      "PS4='$(a)'; set -x; b",
      ['set -x (PS4)', 'b (PS4)', '! it sets a variable that changes how the shell reads'],
    ],
    [
      'variables that eval leaves behind',
      "eval 'PATH=/x'; ls",
      ['eval PATH=/x ->', '  ! it sets variables for other commands', 'ls @ ?'],
    ],
    [
      'variables that a trap leaves behind',
      "trap 'export PATH=/x' DEBUG; ls",
      [
        'trap "export PATH=/x" DEBUG ->',
        '  export PATH=/x (PATH) @ ?',
        '  ! it sets variables for other commands',
        'ls @ ?',
      ],
    ],
    [
      'variables that eval sets for a function',
      "f() { ls; }; eval 'PATH=/x f'",
      ['ls @ ?', 'eval "PATH=/x f" @ ? ->', '  f (PATH) @ ?', '  ! it sets variables for other commands'],
    ],
    [
      'functions that eval leaves behind',
      "eval 'f() { ls >x; }'; cd sub; f",
      [
        'eval "f() { ls >x; }" ->',
        '  ls',
        '  > /w/x',
        '  ! it leaves functions to other commands',
        'cd sub @ ?',
        'f @ ?',
      ],
    ],
    [
      'functions that are handed to other shells',
      'f() { ls; }; export -f f',
      ['ls (f)', 'export -f f (f) ~>', '  ! it calculates with variables, whose values may run commands'],
    ],
    [
      'an array that eval may have made',
      'eval \'x=(1)\'; declare x="$y"',
      ['eval x=(1) ->', 'declare <x=> @ ?', '! it calculates with variables, whose values may run commands'],
    ],
    [
      'a command aside, which bash misspells in a substitution',
      'coproc a b',
      ['a b (COPROC)', '! it runs a command aside'],
    ],
    [
      'a subshell that looks like a calculation',
      '((a); b)',
      ['a', 'b', '! it may be a calculation or a subshell in a subshell'],
    ],
    [
      'a substitution that looks like a calculation',
      'c $((a); b)',
      ['a', 'b', 'c <…>', '! it holds a substitution that cannot be read'],
    ],
    [
      'commands behind a here-document in a substitution, which bash runs together',
      'a $(b <<E\nE\nc; d)',
      ['b', 'c', 'd', 'a <…>', '! it holds a substitution that cannot be read'],
    ],
    ['a word around a process', 'a x=<(b)', ['b', 'a x= <…>', '! a part of it is not understood']],
    ['what the parser passes over', 'a (b; c', ['a b', 'c', '! a part of it is not understood']],
    [
      'a file that bash expands twice',
      'a >&\'$(b)\'; c >&"$x"; d >&e 2>&1',
      ['a', 'c', 'd', '> /w/$(b)', '> ? <>', '> /w/e', '! a redirection is expanded once more'],
    ],
    [
      'a number of the shell that is set',
      "RANDOM='x[$(a)]'",
      ['! it calculates with variables, whose values may run commands'],
    ],
    ['a closed descriptor with more behind it', 'a >&-b', ['a', '> /w/-b', '! a redirection is expanded once more']],
    ['syntax errors', 'a )', ['a', "! it is no valid script: unexpected token ')'"]],
    ['unfinished quotes', "a $x 'b", ['a <…> b', '! it is no valid script: unterminated single quote']],
    [
      'an unfinished substitution',
      'a $(b',
      ['b', 'a <…>', '! it is no valid script: unterminated command substitution'],
    ],
    ['a here-document without an end', 'a <<E\nb', ['a', '! a here-document has no end']],
    ['a stray word of syntax', 'a; fi; b $x', ['a', 'b <…>', "! it is no valid script: unexpected token 'fi'"]],
    ['control characters', 'a\rb', ['! the script holds control characters']],
    ['too long a script', `a $x${'b'.repeat(32 * 1024)}`, ['! the script is too long to be read']],
    ['too many brackets', `a ${'$('.repeat(3000)}`, ['! the script is nested too deeply']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('bash', given)).toEqual(lines);
  });
});

describe('a script for sh is read as far as every shell agrees:', () => {
  const cases: readonly ScriptCase[] = [
    ['plain scripts', 'a b; c "d"', ['a b', 'c d']],
    ['what every shell reads the same way', 'if a; then b "$x" >c; fi; f() { d; }', ['a', 'b <>', 'd', '> /w/c']],
    ['conditions of bash', '[[ a ]]', ['! not every shell reads it the same way']],
    ['both outputs', 'a &>b', ['a', '> /w/b', '! not every shell reads it the same way']],
    ['pipes of both outputs', 'a |& b', ['a', 'b', '! not every shell reads it the same way']],
    ['here-strings', 'a <<< b', ['a', '! not every shell reads it the same way']],
    ['processes', 'a <(b)', ['b', 'a <…>', '! not every shell reads it the same way']],
    ['ANSI quotes', "a $'b'", ['a b', '! not every shell reads it the same way']],
    ['functions by their word', 'function a { b; }', ['b', '! not every shell reads it the same way']],
    ['calculations in the old way', 'a $[1 >2]', ['a <…>', '! not every shell reads it the same way']],
    ['arrays', 'x=(a b)', ['! not every shell reads it the same way']],
    ['appended variables', 'x+=a; b', ['b', '! not every shell reads it the same way']],
    ['descriptors in variables', 'a {x}>b', ['a', '> /w/b', '! not every shell reads it the same way']],
    ['eval with the end of options', 'eval -- a', ['eval -- a ->', '  a', '  ! not every shell reads it the same way']],
    ['variables before a builtin', 'PATH=/x :; ls', [': (PATH)', 'ls (PATH)']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('sh', given)).toEqual(lines);
  });
});

describe('a script for zsh is read when it is plain:', () => {
  const cases: readonly ScriptCase[] = [
    ['plain scripts', 'a b; c "d"', ['a b', 'c d']],
    ['all others', 'a $x', ['a <…>', '! zsh may read it in its own way']],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(readBy('zsh', given)).toEqual(lines);
  });
});

describe('other shells are told apart:', () => {
  const cases: readonly ArgvCase[] = [
    ['dash', ['dash', '-c', '[[ a ]]'], ['dash -c "[[ a ]]" ->', '  ! not every shell reads it the same way']],
    [
      'zsh with a mode',
      ['zsh', '--emulate', 'sh', '-c', 'a'],
      ['zsh --emulate sh -c a ~>', '  ! its script is only known when it runs'],
    ],
    [
      'a shell that we do not read',
      ['fish', '-c', 'a'],
      ['fish -c a ~>', '  a @ ?', '  ! it gives its words to a shell'],
    ],
    ['docker without a command', ['docker', 'build', '.'], ['docker build .']],
    [
      'git under another name',
      ['git', '-c', 'alias.p=push', 'p'],
      ['git -c alias.p=push p ~>', '  ! it gives a sub-command another name'],
    ],
    ['what git runs', ['git', 'submodule', 'foreach', 'a'], expect.arrayContaining(['  a @ ?'])],
  ];

  test.each(cases)('%s', (_, given, lines) => {
    expect(renderSegment(readArgv(given, SURROUNDINGS))).toEqual(lines);
  });
});

const tokens = [
  ...'a bc $x "$x" ${x:-a} $(a) `a` * {a,b} ~ $((1)) <(a) >f 2>&1 <<E <<<a && || | & ; ;; ( ) (( )) { } [[ ]] [ ] ! = a=b'.split(
    ' ',
  ),
  ...'if then else fi for in do done while case esac function time coproc eval trap cd env xargs sudo ssh find -exec'.split(
    ' ',
  ),
  ...'\'"\\$`#\r\v\0\u00a0\ud83d🙂é%@,-\n\t',
  '\\\n',
  ' ',
  ' ',
  '\n',
];
const soup = fc.array(fc.constantFrom(...tokens), { size: 'large' }).map((texts) => texts.join(''));

test('every text gets an answer, and always the same', () => {
  fc.assert(
    fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
      expect(readText(text, SURROUNDINGS)).toEqual(readText(text, SURROUNDINGS));
    }),
    propertyRuns(500),
  );
});

test('an argv of any words gets an answer, and always the same', () => {
  const argv = fc.array(fc.oneof(fc.constantFrom(...tokens), soup), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(argv, (words) => {
      expect(readArgv(words, SURROUNDINGS)).toEqual(readArgv(words, SURROUNDINGS));
    }),
    propertyRuns(500),
  );
});

test('nesting of every kind gets an answer', () => {
  const openings = [
    '{a,',
    '$[ ',
    '$(',
    '`',
    '\\`',
    'a(){ ',
    '"$(',
    '<<E\n',
    '[[ ( ',
    '((',
    '( ',
    'if ',
    'case a in a) ',
    '${x:-',
    '<(',
    '!',
    '@(',
  ];
  for (const opening of openings) {
    for (const times of [400, 8000])
      expect(readBy('bash', `$x; ${opening.repeat(times)}`.slice(0, 32_000))).not.toEqual([]);
  }
});

test('a plain script is read in the same words whichever way it is read', () => {
  const piece = fc.constantFrom(
    ...'a bc -x --k=v 1 . x.y % , @ ^ ! = # a#b'.split(' '),
    ...String.raw`'q r' "d e" '' "" "\$x" "\\" "a$" "$|" "\z" \; \# \\ \' \" \$ \* \a`.split(' '),
    '\\ ',
    "'\n'",
    '"z\\\ny"',
  );
  const gap = fc.constantFrom(
    '',
    ' ',
    ' ',
    ' ',
    '\t',
    ' \\\n',
    ' # c\n',
    ';',
    '\n',
    ' && ',
    '&&\\\n',
    ' || ',
    '|',
    ' |\n',
  );
  const script = fc
    .array(fc.tuple(piece, gap), { minLength: 1, maxLength: 8, size: 'max' })
    .map((texts) => texts.flat().join(''))
    .filter((text) => readPlainScript(text) !== undefined);
  fc.assert(
    fc.property(script, (text) => {
      const { segments } = readText(`${text}\n: $x`, SURROUNDINGS);
      expect(segments.slice(0, -1).map(({ words }) => words)).toEqual(readPlainScript(text));
    }),
    propertyRuns(500),
  );
});

function readBy(shell: string, script: string): readonly string[] {
  const { runs } = readArgv([shell, '-c', script], SURROUNDINGS);
  return runs ? render(runs.reading) : ['nothing'];
}

/** Commands, then files, then what is unclear; what a command runs is set in. */
function render({ segments, files, unclear }: Reading): readonly string[] {
  return [...segments.flatMap(renderSegment), ...files.map(renderFile), ...unclear.map((why) => `! ${why}`)];
}

/** `words (variables) @ folders`, then `->` when it runs something plainly and `~>` when it does otherwise. */
function renderSegment({ words, variables, folders, runs }: Segment): readonly string[] {
  const set = variables.length > 0 ? ` (${variables.join(' ')})` : '';
  const where = folders?.join(' ') === SURROUNDINGS.cwd ? '' : ` @ ${folders?.join(' ') ?? '?'}`;
  const how = runs?.plainly ? ' ->' : ' ~>';
  const inside = runs ? render(runs.reading).map((line) => `  ${line}`) : [];
  return [`${words.map(renderWord).join(' ')}${set}${where}${runs ? how : ''}`, ...inside];
}

function renderFile({ access, target, paths }: FileUse): string {
  return `${access === 'read' ? '<' : '>'} ${paths?.join(' ') ?? `? ${renderWord(target)}`}`;
}

/** `<beginning>` is one word, `<beginning…>` any number of them. */
function renderWord(word: Word): string {
  if (isExact(word)) return /^[^\s"'<>]+$/.test(word) ? word : JSON.stringify(word);
  return `<${word.begins}${word.splits ? '…' : ''}>`;
}
