/**
 * Scripts of every kind are read and run by real shells, in which every command only tells its words. A reading that
 * finds nothing unclear must have foreseen every command and every file that a redirection made.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';

import { readArgv } from '../../src/shell/read-command.js';
import { isExact } from '../../src/shell/reading.js';
import type { FileUse, Reading, Segment, Word } from '../../src/shell/reading.js';
import { propertyRuns } from '../support/property-runs.js';

/**
 * `x` is `a bc`, `e` empty, `g` a pattern; `h` and `v` run a command where a shell calculates with them, `c` where it expands it
 * once more; `u` is unset.
 */
const VARIABLES = { x: 'a bc', e: '', g: '*', h: 'z[$(bc evil)]', v: '-v z[$(bc evil)]', c: '$(bc evil)' };

/**
 * What scripts are made of. `«name»` stands for one of the forms of that name, `«script»` for a script of less depth,
 * `'«script»'` and `"«script»"` for one that is quoted; `3×` before a form makes it three times as likely. A name whose
 * forms are one text has them parted by blanks.
 */
const GRAMMAR: Readonly<Record<string, string | readonly string[]>> = {
  teller: 'a a bc bc abc x.y',
  plain: [
    ...String.raw`a bc a bc 1 -x x.y --k=v a=b = {} % , @ a:b +1 a~ a{ }b [ ] [[ ! # a#b if do in -n -v -- - a2`.split(
      ' ',
    ),
    ...String.raw`\* \$x \a \" \# q\ r`.split(/ (?!r)/),
    'a\\\nbc',
  ],
  quoted: [
    ...String.raw`'' "" 'a' "bc" '$x' "\$x" "\a" "a$" "'" '"' $'a' $'\n' 'é' "*" '~' '{a,b}' $"a" $'a\'bc' "#" 'a#'`.split(
      ' ',
    ),
    "'q r'",
    '"a\nbc"',
    '"a\\\nbc"',
  ],
  variable: [
    ...'$x "$x" ${x} "${x}" $e "$e" $u "a$x" $x"a" a$e $1 "$1" "$@" $@ $* "$*" $# $h "$h" $g "$g" $v "$c"'.split(' '),
    ...'$HOME "$HOME" ${HOME} a$HOME ${x:-a} "${u:-a}" ${u-$x} ${u:=a} ${x:+bc} "${x#a}" ${x%%c} ${x/a/b}'.split(' '),
    ...'"${x//[ab]/c}" ${#x} ${x:0:1} ${x^^} ${!x} ${x@Q} ${x:$h} ${z[h]} ${z[0]} "${z[@]}" ${e:-~}'.split(' '),
    ...'${u:-\'a\'} "${u:-\'a\'}" ${u:-\\}} ${u:-"}"} "${u:-\'}\'}" $((1+2)) $((h)) $[1]'.split(' '),
    '${u:-"a bc"}',
    '"${u-"a b"}"',
    '${u:-a bc}',
    '$(( $x ))',
  ],
  open: String.raw`* ? [ab] *c b* "a"* {a,bc} {1..2} a{,b} {a,"q"} {a} {a,b ~ ~/f ~a a=~ ~"" é !(a) @(a|bc) \~ "a"{,b}`,
  substitution: [
    '4×$(«script»)',
    '3×"$(«script»)"',
    '2×<(«script»)',
    '`«tiny»`',
    '"`«tiny»`"',
    'a=<(«script»)',
    '${x:-$(«script»)}',
    '"${u:-$(«script»)}"',
    '$((1+$(«script»)))',
    '$(«script» # )\n)',
    '$(case a in a) «tiny»;; esac)',
    '$(«tiny» <<E\n)\nE\n)',
    '"$(«tiny» <<\'E\'\n«tiny» $x\nE\n)"',
  ],
  word: [
    '40×«plain»',
    '15×«quoted»',
    '15×«variable»',
    '6×«open»',
    '3×«plain»«quoted»',
    '2×«quoted»«variable»',
    '6×«substitution»',
  ],
  words: ['', ' «word»', ' «word» «word»', ' «word» «word» «word»'],
  tiny: ['«teller»', '«teller» «plain»', '«teller» «variable»', '«teller» «quoted»', '> f'],
  target: `f f sub/g a "f" ~/f $x f$e ./f $(a) {f,g} 'f' link/f "$c" '$(a)'`,
  opening: ['>', '>', '>>', '<', '>|', '<>', '&>', '&>>', '2>', '> ', '>&', '{fd}>', '3<>', '1>', '>\\\n'],
  descriptor: '2>&1 >&2 3>&1 <&- 2>&- >&- 1>&2- >&$e <&3 2>&1>f',
  redirection: ['6×«opening»«target»', '3×«descriptor»', '<<<«plain»', '<<< "a bc"', "<<<'a\nbc'", '<<<$x'],
  redirections: ['5×', ' «redirection»', ' «redirection» «redirection»'],
  value: ['5×«word»', '', '(a bc)', '([h]=a)', '($x)'],
  assignment: [
    '8×',
    'x=«value» ',
    'A=«value» ',
    'HOME=«value» ',
    'IFS=a ',
    'RANDOM=«value» ',
    'z[0]=«value» ',
    'z[$h]=a ',
    'x+=«value» ',
  ],
  delimiter: ['E', "'E'", '"E"', '\\E', 'E""', '-E', ' E', '-"E"'],
  line: ['a\n', '$x\n', '$(a bc)\n', '`bc`\n', '\tE\n', 'E \n', 'a\\\nE\n', '', '', "'\n", '$(\n', '${x\n'],
  document: [
    '3×«teller»«words» <<«delimiter»\n«line»E\n',
    '«teller» <<«delimiter» >f\n«line»E\n',
    '«teller» <<«delimiter» | «tiny»\n«line»E\n',
    '«teller» <<«delimiter» «tiny» <<F\n«line»E\n«line»F\n',
  ],
  command: ['«teller»«words»'],
  wrapped: [
    ..."3×eval '«script»'|eval \"«script»\"|eval -- '«script»'|eval a '«script»'|command eval '«script»'|eval «command»".split(
      '|',
    ),
    ..."trap '«script»' EXIT|trap -- \"«script»\" EXIT|trap '«script»' DEBUG|trap '«script»' 0|trap '«script»' ERR|trap '«script»'".split(
      '|',
    ),
    ...'command «command»|command -v «command»|command -p «command»|builtin «command»|coproc «command»|exec «command»'.split(
      '|',
    ),
    ...'! «command»|! ! «command»|time «command»|time -p «command»|time -- «command»|! time «command»|time'.split('|'),
    '«program» «command»',
    '«xargs» «command»«items»',
    'find . «tests»«runs» «command»«end»',
    "«shell» '«script»'",
    '«shell» "«script»" a bc',
    "bash <<< '«script»'",
  ],
  program: [
    ...'env|env A=1|env a-b=c|env -u A|env -i|env -C sub|env A=$x|env --|env $e|env -S|exec|exec -a a|nohup'.split('|'),
    ...'nice|nice -n 5|nice -5|timeout 5|timeout -k 1 5|timeout "$e"|setsid -w|stdbuf -oL'.split('|'),
  ],
  xargs: 'xargs|xargs -n 1|xargs -I{}|xargs -I %|xargs --replace|xargs -I{} -n1|xargs -0'.split('|'),
  items: [' <<< a', " <<< 'a bc'", ' {} % <<< a', ' {} % <<< "$x"', ''],
  tests: ['-name a ', '-maxdepth 0 ', '', '$e '],
  runs: '-exec -exec -execdir',
  end: [' \\;', ' {} \\;', ' {} +', ' a{} ";"', ' \\; -exec a \\;', ' -exec a \\;'],
  shell: 'bash -c|bash -c|sh -c|bash -ec|bash -c --|bash +c|bash -o pipefail -c|env bash -c|bash -norc -c'.split('|'),
  builtin: [
    ...'cd sub|cd sub|cd link|cd .|cd|cd -|cd a|cd $x|cd ~|cd -P link|cd link/..|cd -- sub|cd "$e"'.split('|'),
    ...'command cd sub|builtin cd sub|eval cd sub'.split('|'),
    ...'[ «test» ]|[ «test» «test» ]|[ «test» «test» «test» ]|test «test» «test»|test «test» «test» «test» «test»'.split(
      '|',
    ),
    '3×«setter» «name»«rest»',
    ...'set --|set|set -f|set -e|set -k|shift|return|break|continue|:|true|false'
      .split('|')
      .map((each) => `${each}«words»`),
  ],
  test: ['4×«word»', ...'-n -v -f = -eq -a !'.split(' ')],
  setter: 'read|declare|declare -i|declare -a|export|unset|printf -v|printf|let|local'.split('|'),
  name: [
    'x',
    'HOME',
    '$h',
    '"$h"',
    '"$x"',
    'x=1',
    'x=$h',
    'x="($(a))"',
    'SECONDS=$h',
    'OPTIND="$h"',
    'IFS=a',
    'HOME=sub',
    'x="$x"',
    'z=(a $x)',
  ],
  rest: ['', ' a', ' <<< a', ' <<< bc'],
  simple: [
    '40×«assignment»«command»«redirections»',
    '3×«redirection» «command»',
    '2×«assignment»«redirections»',
    '2×«word»«words»',
    '4×«document»',
    '8×«builtin»',
    '14×«wrapped»',
  ],
  condition:
    '4×«command»|! a|false|((1))|((h))|[[ a == a ]]|[[ -f a && $x ]]|[[ $h -eq 1 ]]|[[ $x =~ a ]]|[[ a < bc ]]'.split(
      '|',
    ),
  compound: [
    '3×(«script»\n)',
    '3×{ «script»\n}',
    '2×if «condition»; then «script»\nfi',
    'if «condition»; then «script»\nelif bc; then a; else «tiny»\nfi',
    'while «command»; do «script»\ndone',
    'while [[ $x == b* ]]; do «script»\ndone',
    'until «command»; do «script»\ncd sub; done',
    '2×for x in«words»; do «script»\ndone',
    'for x; do «script»\nbreak; done',
    'for x\nin«words»\ndo «script»\ndone',
    'for x in a bc; { «script»\n}',
    'for ((i=0; 0; i++)); do «script»\ndone',
    '2×case «word» in «pattern») «script»\n;; esac',
    'case «word» in («pattern») «script»\n;;& *) a;; esac',
    'case «word» in «pattern») «tiny»;& bc) «script»\nesac',
    '2×g() { «script»\n}; g a',
    'f() { «script»\n}\nf a',
    'f() («script»\n); f',
    'function x.f { «script»\n}; x.f',
    'f() if a; then «script»\nfi; f',
    'f() { «script»\n} «redirection»; f',
    'select x in«words»; do «script»\nbreak; done <<< 1',
    ...'[[ a ]]|[[ $x == b* ]]|[[ -v h ]]|[[ $h -eq 0 ]]|((1+2))|((h))|[[ ! -n $(a) ]]|[[ ( a ) && b ]]'.split('|'),
  ],
  pattern: ['a', '*', 'a|bc', '"a"*', '$x', '[ab]', '$(«tiny»)'],
  statement: ['12×«simple»', '4×«compound»', '«compound» «redirection»'],
  joint: [';', '; ', '\n', '\n', ' && ', '&&', ' || ', '||\n', ' | ', '|', ' & ', ' |& ', ' # a\n', ';\\\n', ';#a\n'],
  list: ['«statement»', '«statement»«joint»«statement»', '«statement»«joint»«statement»«joint»«statement»'],
};

const forms = new Map<string, Arbitrary<string>>();

/** Forms of a name in a script of some depth; without depth, none that holds a script. */
function formOf(name: string, depth: number): Arbitrary<string> {
  const key = `${name} ${depth}`;
  const known = forms.get(key);
  if (known) return known;
  const given = GRAMMAR[name] ?? [];
  const texts = typeof given === 'string' ? given.split(' ') : given;
  const usable = texts.filter((text) => depth > 0 || !/«(?:script|compound|wrapped|substitution)»/.test(text));
  const form = fc.oneof(...usable.map((text) => weighted(text, depth)));
  forms.set(key, form);
  return form;
}

function weighted(text: string, depth: number): { readonly weight: number; readonly arbitrary: Arbitrary<string> } {
  const [, weight = '1', form = ''] = /^(?:(\d+)×)?([^]*)$/.exec(text) ?? [];
  const parts = form.split(/(['"]«script»['"]|«\w+»)/).map((part) => {
    const [, quote = '', name] = /^(['"]?)«(\w+)»/.exec(part) ?? [];
    if (name === undefined) return fc.constant(part);
    return name === 'script' ? formOf('list', depth - 1).map((script) => quotedBy(quote, script)) : formOf(name, depth);
  });
  return { weight: Number(weight), arbitrary: fc.tuple(...parts).map(joinedParts) };
}

function quotedBy(quote: string, script: string): string {
  if (quote === "'") return `'${script.replaceAll("'", String.raw`'\''`)}'`;
  return quote === '"' ? `"${script.replaceAll(/[\\$`"]/g, String.raw`\$&`)}"` : script;
}

/** Behind a here-document there is a line end already. */
function joinedParts(parts: readonly string[]): string {
  return parts.reduce((text, part) => (text.endsWith('\n') ? text + part.replace(/^ ?[;&|]+ ?/, '') : text + part), '');
}

const structured = fc.oneof(...[1, 2, 2, 3].map((depth) => formOf('list', depth)));

const splinter = fc.constantFrom(
  ...'\'"\\`$(){}[]<>|&;!#%=~*?, \t\n\r\v\u00a0\u2003\ufeff-@:+^é',
  ..."\\\n|\r\n|$(|))|((|[[|]]|{}|''|\"\"|$'|<<E|>f|;;|&&|$x|a|bc|do|done|fi|esac|in|then|$[|${|${!|coproc|time|function".split(
    '|',
  ),
  '||',
  ' \\\n',
  ' ',
  '\n',
  'alias a=bc\n',
  '\n)\n',
  '\nE\n',
  '<(',
  '>(',
  '!(',
  '#}',
);
const place = fc.double({ min: 0, max: 1, noNaN: true });
const edit = fc.tuple(place, fc.constantFrom(0, 0, 1, 2, 5), fc.oneof(splinter, fc.constant('')));
const mutated = fc
  .tuple(structured, fc.array(edit, { minLength: 1, maxLength: 4, size: 'max' }))
  .map(([text, edits]) => edits.reduce(edited, text));

type Edit = readonly [place: number, cut: number, insert: string];

function edited(text: string, [at, cut, insert]: Edit): string {
  const start = Math.floor(at * text.length);
  // Nothing to put in: what stands there is doubled.
  const put = insert === '' ? text.slice(start, start + cut).repeat(2) : insert;
  return text.slice(0, start) + put + text.slice(start + cut);
}

/** Neither a path out of the folder, nor a descriptor that belongs to the test. */
function isHarmless(text: string): boolean {
  const rest = text.replaceAll(
    /(?<=^|[ <>='"\n])(?<!\\\n)(?:(?:sub|link|\.|~)\/[fga]|link\/\.\.)(?![\w.\\/$'"`*?{[])/g,
    '',
  );
  if (/[89\0]|\.\./.test(rest) || /\p{Cs}/u.test(text)) return false;
  if (/HOME|env|unset|bash|sh /.test(text) && text.includes('~/')) return false;
  return !rest.replaceAll(/\$\{x\/\/?(?:a|\[ab\])\/[bc]\}/g, '').includes('/');
}

describe('a script that is read without anything unclear', () => {
  test('runs no command and makes no file that was not foreseen, in bash', () => {
    const tally = { all: 0, clear: 0, telling: 0 };
    compare(structured, 'bash', 250, (batch) => {
      tally.all += batch.all;
      tally.clear += batch.clear;
      tally.telling += batch.telling;
    });
    expect(tally.clear / tally.all).toBeGreaterThan(0.4);
    expect(tally.telling / tally.clear).toBeGreaterThan(0.7);
  });

  test('runs no command and makes no file that was not foreseen, in bash, when it is garbled', () => {
    compare(mutated, 'bash', 250, () => {});
  });

  test.skipIf(!isDash('/bin/sh'))('runs no command and makes no file that was not foreseen, in dash', () => {
    compare(fc.oneof(structured, mutated), 'sh', 100, () => {});
  });
});

type Tally = { readonly all: number; readonly clear: number; readonly telling: number };

function compare(scripts: Arbitrary<string>, shell: 'bash' | 'sh', batch: number, note: (tally: Tally) => void): void {
  const folder = fastFolder();
  fillBin(path.join(folder, 'bin'));
  let count = 0;
  const batches = fc.array(scripts.filter(isHarmless), { minLength: batch, maxLength: batch, size: 'max' });
  fc.assert(
    fc.property(batches, (all) => {
      count += 1;
      const work = path.join(folder, String(count));
      const cases = all.map((text, number) => foresee(text, shell, path.join(work, String(number))));
      const clear = cases.filter(({ unclear }) => !unclear);
      const ran = runAll(clear, shell, work);
      note({ all: all.length, clear: clear.length, telling: ran.filter(({ argvs }) => argvs.length > 0).length });
      const surprises = clear.flatMap((each, index) => surprisesOf(each, ran[index] ?? { argvs: [], files: [] }));
      rmSync(work, { recursive: true, force: true });
      expect(surprises.toSorted((one, other) => one.length - other.length).slice(0, 8)).toEqual([]);
    }),
    { ...propertyRuns(2), endOnFailure: true },
  );
}

/** In memory where there is such a place: thousands of folders are made and removed. */
function fastFolder(): string {
  const root = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir()), 'tenon-test-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  // Nothing that goes up a few folders gets out.
  const folder = path.join(root, ...'12345'.split(''));
  mkdirSync(folder, { recursive: true });
  return folder;
}

type Foreseen = {
  readonly text: string;
  readonly cwd: string;
  readonly unclear: boolean;
  readonly commands: readonly (readonly Word[])[];
  readonly files: readonly FileUse[];
};
type Ran = { readonly argvs: readonly (readonly string[])[]; readonly files: readonly string[] };

function foresee(text: string, shell: string, cwd: string): Foreseen {
  const readings = readingsWithin(readArgv([shell, '-c', text], { cwd, home: `${cwd}/sub` }));
  return {
    text,
    cwd,
    unclear: readings.some(({ unclear }) => unclear.length > 0),
    commands: readings.flatMap(({ segments }) => segments.map(({ words: each }) => each)),
    files: readings.flatMap(({ files }) => files.filter(({ access }) => access === 'write')),
  };
}

function readingsWithin({ runs }: Segment): readonly Reading[] {
  return runs ? [runs.reading, ...runs.reading.segments.flatMap(readingsWithin)] : [];
}

function surprisesOf({ text, cwd, commands, files }: Foreseen, ran: Ran): readonly string[] {
  const argvs = ran.argvs.filter((argv) => !commands.some((command) => fits(command, argv)));
  const excused = files.some(({ paths }) => paths === undefined);
  const foreseen = new Set(files.flatMap(({ paths }) => paths ?? []).map(realPath));
  const made = excused ? [] : ran.files.filter((file) => !foreseen.has(path.join(cwd, file)));
  return argvs.length + made.length > 0 ? [JSON.stringify({ text, argvs: argvs.slice(0, 3), made })] : [];
}

/** A file need not be there, its folder must. */
function realPath(file: string): string {
  const folder = path.dirname(file);
  if (existsSync(file)) return realpathSync(file);
  return existsSync(folder) ? path.join(realpathSync(folder), path.basename(file)) : file;
}

function fits([first, ...rest]: readonly Word[], argv: readonly string[]): boolean {
  if (first === undefined) return argv.length === 0;
  const [head, ...tail] = argv;
  if (isExact(first)) return head === first && fits(rest, tail);
  const begins = head?.startsWith(first.begins) === true;
  if (!first.splits) return begins && fits(rest, tail);
  if (fits(rest, argv)) return true;
  return begins && argv.some((_, taken) => fits(rest, argv.slice(taken + 1)));
}

const NAMES = ['a', 'bc', 'abc', 'x.y', '-x'];
const PROGRAMS = ['env', 'xargs', 'find', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf', 'bash', 'sh'];

/** A loop whose condition stands in a process of its own is ended with all the processes of the script. */
const TELL_AND_STOP = `
  printf '%s\\037' $# NAME "$@" >&9
  read -r _ place </proc/self/fdinfo/9 && [ "$place" -gt 600 ] && kill -9 0
  exit $(($# % 2))
`;

/** The only programs there are: tellers, and what runs them. */
function fillBin(bin: string): void {
  mkdirSync(bin);
  for (const name of NAMES) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${TELL_AND_STOP.replace('NAME', name)}`, { mode: 0o755 });
  }
  for (const program of PROGRAMS) {
    const found = ['/usr/bin', '/bin'].map((folder) => path.join(folder, program)).find((file) => existsSync(file));
    if (found) symlinkSync(found, path.join(bin, program));
  }
}

function makeFolder(cwd: string): void {
  mkdirSync(path.join(cwd, 'sub', 'deep'), { recursive: true });
  symlinkSync('sub/deep', path.join(cwd, 'link'));
  for (const file of GIVEN) writeFileSync(path.join(cwd, file), 'x');
}

const GIVEN = ['a', 'bc', 'q r'];

/**
 * Words are parted by control characters, which no script that is read holds. Line ends are replaced, since bash writes
 * each line on its own and two commands of a pipeline would mix.
 */
const TELLING_BASH = `
  mapfile -d '' -t scripts
  exec 8>&1 >/dev/null 2>&1 </dev/null
  set -m
  told=0
  tell() {
    local IFS=' ' place
    printf '%s\\x1f' "$(($# - 1))" "\${@//$'\\n'/$'\\x1e'}" >&9
    ((++told > 20)) && exit
    read -r _ place </proc/self/fdinfo/9 && ((place > 600)) && kill -9 0
    printf '%s ' "\${@:2}"
    return $((($# - 1) % 2))
  }
  for name in ${NAMES.join(' ')}; do
    eval "function $name { tell $name \\"\\$@\\"; }"
  done
  command_not_found_handle() { tell "$@"; }
  FUNCNEST=4
  mapfile -t builtins < <(compgen -b)
  for name in "\${builtins[@]}"; do
    case $name in
      enable | eval | exec | command | builtin | cd | trap | true | false | : | '[' | test | printf) ;;
      exit | return | break | continue | read | declare | let | unset | export | local | set | shift | wait | ulimit | kill) ;;
      *) enable -n "$name" ;;
    esac
  done
  enable -n enable
  unset builtins name
  PATH=$PWD/bin
  root=$PWD/$BATCH
  set -- 'p q' '' '*'
  for number in "\${!scripts[@]}"; do
    (
      ulimit -t 1
      cd "$root/$number" && exec 9>>"$root/$number.log"
      unset OLDPWD
      export HOME=$PWD/sub
      eval -- "\${scripts[number]}"
      wait
    )
  done
`;

const DASH_PRELUDE = `
  ulimit -t 1
  export HOME=$PWD/sub
  told=0
  tell() {
    printf '%s\\037' "$(($# - 1))" "$@" >&9
    told=$((told + 1))
    [ $told -lt 20 ] || exit
    read -r _ place </proc/self/fdinfo/9 && [ "$place" -gt 600 ] && kill -9 0
    shift
    printf '%s ' "$@"
    return $(($# % 2))
  }
  ${NAMES.slice(0, 3)
    .map((name) => `${name}() { tell ${name} "$@"; }`)
    .join('\n')}
  script=$1
  set -- 'p q' '' '*'
  eval "$script"
  wait
`;

const TELLING_SH = `
  mapfile -d '' -t scripts
  exec 8>&1 >/dev/null 2>&1 </dev/null
  set -m
  PATH=$PWD/bin
  root=$PWD/$BATCH
  for number in "\${!scripts[@]}"; do
    (
      cd "$root/$number" && unset OLDPWD
      exec sh -c "$PRELUDE" sh "\${scripts[number]}" 9>>"$root/$number.log"
    )
  done
`;

function runAll(cases: readonly Foreseen[], shell: 'bash' | 'sh', work: string): readonly Ran[] {
  const folder = path.dirname(work);
  mkdirSync(work);
  const numbered = cases.map((each) => ({ ...each, number: Number(path.basename(each.cwd)) }));
  for (const { cwd } of numbered) makeFolder(cwd);
  const scripts: string[] = [];
  for (const { number, text } of numbered) {
    while (scripts.length < number) scripts.push('');
    scripts.push(text);
  }
  // Away from any terminal, which the groups of processes would take turns with.
  const outside = 'exec setsid -w bash --norc --noprofile -c "$0"';
  const { status, pid } = spawnSync('bash', ['-c', outside, shell === 'bash' ? TELLING_BASH : TELLING_SH], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      LC_ALL: 'C.UTF-8',
      PRELUDE: DASH_PRELUDE,
      BATCH: path.basename(work),
      ...VARIABLES,
    },
    input: scripts.map((text) => `${text}\0`).join(''),
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  if (status === null) {
    endSession(pid);
    throw new Error(`the shell did not come to an end: ${lastStarted(cases)}`);
  }
  return cases.map(({ cwd }) => ({ argvs: argvsTold(`${cwd}.log`), files: filesMade(cwd) }));
}

/** Ends whatever the scripts have left, however fast it multiplies. */
function endSession(session: number): void {
  for (;;) {
    const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && sessionOf(pid) === session);
    if (left.length === 0) return;
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of left) endProcess(Number(pid), signal);
  }
}

function sessionOf(pid: string): number | undefined {
  try {
    const [state, , , session] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : Number(session);
  } catch {
    return undefined;
  }
}

function endProcess(pid: number, signal: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}

function lastStarted(cases: readonly Foreseen[]): string | undefined {
  return cases.findLast(({ cwd }) => existsSync(`${cwd}.log`))?.text;
}

function argvsTold(log: string): readonly (readonly string[])[] {
  const fields = existsSync(log) ? readFileSync(log, 'utf8').split('\u001f') : [];
  const argvs: string[][] = [];
  for (let at = 0; at < fields.length - 1;) {
    const end = at + 2 + Number(fields[at]);
    argvs.push(fields.slice(at + 1, end).map((each) => each.replaceAll('\u001e', '\n')));
    at = end;
  }
  return argvs;
}

/** Files that were not there before, or are no longer what they were. */
function filesMade(cwd: string): readonly string[] {
  return readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(cwd, path.join(entry.parentPath, entry.name)))
    .filter((file) => !GIVEN.includes(file) || readFileSync(path.join(cwd, file), 'utf8') !== 'x');
}

function isDash(shell: string): boolean {
  return existsSync(shell) && path.basename(realpathSync(shell)) === 'dash';
}
