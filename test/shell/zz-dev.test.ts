/**
 * Scripts of every kind are read and run by real shells, in which every command only tells its words. A reading that
 * finds nothing unclear must have foreseen every command and every file that a redirection made.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';

import { readArgv } from '../../src/shell/read-command.js';
import { isExact } from '../../src/shell/reading.js';
import type { FileUse, Reading, Segment, Word } from '../../src/shell/reading.js';
import { propertyRuns } from '../support/property-runs.js';

const pick = (...texts: readonly string[]): Arbitrary<string> => fc.constantFrom(...texts);
const joined = (parts: readonly (string | Arbitrary<string>)[]): Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((texts) => texts.join(''));
const list = (each: Arbitrary<string>, maxLength: number, glue = ' '): Arbitrary<string> =>
  fc.array(each, { maxLength, size: 'max' }).map((texts) => texts.map((text) => `${glue}${text}`).join(''));
const often = (...choices: readonly (readonly [number, Arbitrary<string>])[]): Arbitrary<string> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** `x` is `a bc`, `e` empty, `g` a pattern; `h` and `v` run a command where a shell calculates with them; `u` is unset. */
const VARIABLES = { x: 'a bc', e: '', g: '*', h: 'z[$(bc evil)]', v: '-v z[$(bc evil)]' };

const plainWord = pick(
  ...`a bc a bc 1 -x x.y --k=v a=b = {} % , @ a:b +1 a~ a{ }b [ ] [[ ! # a#b if do in -n -v -- - \\* \\$x \\a \\"`.split(' '),
  'q\\ r',
  'a\\\nbc',
);
const quotedWord = pick(...`'' "" 'a' "bc" '$x' "\\$x" "\\a" "a$" "'" '"' $'a' $'\\n' 'é' "*" '~' '{a,b}' $"a"`.split(' '), "'q r'", '"a\nbc"', '"a\\\nbc"', "$'a\\'bc'");
const variableWord = pick(
  ...'$x "$x" ${x} "${x}" $e "$e" $u "a$x" $x"a" a$e $1 "$1" "$@" $@ $* "$*" $# $h "$h" $g "$g" $v $HOME "$HOME" ${HOME} a$HOME'.split(' '),
  ...'${x:-a} "${u:-a}" ${u-$x} ${u:=a} ${x:+bc} "${x#a}" ${x%%c} ${x/a/b} "${x//[ab]/c}" ${#x} ${x:0:1} ${x^^} ${!x} ${x@Q}'.split(' '),
  ...'${x:$h} ${z[h]} ${z[0]} "${z[@]}" ${e:-~} ${u:-"a bc"} ${u:-\'a\'} "${u:-\'a\'}" ${u:-\\}} "${u-"a b"}" $((1+2)) $((h)) $(( $x )) $[1]'.split(' '),
);
const openWord = pick(...'* ? [ab] *c b* "a"* {a,bc} {1..2} a{,b} {a,"q r"} {a} {a,b ~ ~/f ~a a=~ ~"" é !(a) @(a|bc) \\~'.split(' '), '"a"{,b}');

type Depth = 0 | 1 | 2 | 3;
const below = (depth: Depth): Depth => Math.max(0, depth - 1) as Depth;
const quoteOnce = (script: string): string => `'${script.replaceAll("'", `'\\''`)}'`;
const quoteTwice = (script: string): string => `"${script.replaceAll(/[\\$`"]/g, '\\$&')}"`;

function word(depth: Depth): Arbitrary<string> {
  const known: readonly [number, Arbitrary<string>][] = [
    [40, plainWord],
    [15, quotedWord],
    [15, variableWord],
    [6, openWord],
    [3, joined([plainWord, quotedWord])],
    [2, joined([quotedWord, variableWord])],
  ];
  return depth === 0 ? often(...known) : often(...known, [6, substitution(below(depth))]);
}

function substitution(depth: Depth): Arbitrary<string> {
  const inner = script(depth);
  return often(
    [4, joined(['$(', inner, ')'])],
    [3, joined(['"$(', inner, ')"'])],
    [2, simple(0).map((text) => `\`${text.replaceAll(/[\\`$]/g, '\\$&')}\``)],
    [1, simple(0).map((text) => `\`${text}\``)],
    [1, joined(['<(', inner, ')'])],
    [1, joined(['${x:-$(', inner, ')}'])],
    [1, joined(['"${u:-$(', inner, ')}"'])],
    [1, joined(['$((1+$(', inner, ')))'])],
  );
}

const teller = pick('a', 'a', 'bc', 'bc', 'abc', 'x.y');
const target = pick('f', 'f', 'sub/g', 'a', '"f g"', '~/f', '$x', 'f$e', './f', '$(a)', '{f,g}', "'f'", 'link/f');
const redirection = often(
  [6, joined([pick('>', '>', '>>', '<', '>|', '<>', '&>', '&>>', '2>', '> ', '>&', '{fd}>', '3<>', '1>', '>\\\n'), target])],
  [3, pick('2>&1', '>&2', '3>&1', '<&-', '2>&-', '>&-', '1>&2-', '>&$e', '<&3')],
  [2, joined(['<<<', pick('a', '"a bc"', '$x', "'a\nbc'", '"$x"')])],
);

function words(depth: Depth): Arbitrary<string> {
  return list(word(depth), 3);
}

function assignments(depth: Depth): Arbitrary<string> {
  const assignment = joined([pick('x', 'y', 'A', 'HOME', 'z[0]', 'z[$h]', 'x+', 'IFS=a x'), '=', often([5, word(depth)], [1, pick('', '(a bc)', '([h]=a)')])]);
  return often([8, pick('')], [1, assignment.map((text) => `${text} `)]);
}

/** Programs and builtins that run what stands behind them. */
function wrapped(depth: Depth): Arbitrary<string> {
  const command = joined([teller, words(0)]);
  const inner = script(below(depth));
  const quoted = often([3, inner.map(quoteOnce)], [1, inner.map(quoteTwice)]);
  return often(
    [5, joined([pick('eval ', 'eval ', 'eval -- ', 'eval a ', 'builtin eval ', 'command eval '), quoted])],
    [2, joined(['eval ', command])],
    [3, joined(['trap ', pick('', '-- '), quoted, pick(' EXIT', ' EXIT', ' DEBUG', ' 0', ' ERR', '')])],
    [4, joined([pick('command ', 'command -v ', 'command -p ', 'command -- ', 'builtin ', '! ', 'time ', 'coproc ', 'exec '), command])],
    [1, joined([pick('env ', 'env A=1 ', 'env a-b=c ', 'env -u A ', 'env -i ', 'env -C sub ', 'env A=$x ', 'env -- ', 'env $e ', 'env -S '), command])],
    [1, joined([pick('nice ', 'nice -n 5 ', 'nice -5 ', 'timeout 5 ', 'timeout -k 1 5 ', 'timeout "$e" ', 'nohup ', 'exec ', 'exec -a a ', 'setsid -w ', 'stdbuf -oL '), command])],
    [1, joined([pick('xargs ', 'xargs -n 1 ', 'xargs -I{} ', 'xargs -I % ', 'xargs --replace ', 'xargs -I{} -n1 ', 'xargs -0 '), command, pick(' <<< a', " <<< 'a bc'", ' {} % <<< a', ' {} % <<< "$x"', '')])],
    [1, joined(['find . ', pick('-name a ', '-maxdepth 0 ', '', '$e '), pick('-exec ', '-execdir '), command, pick(' \\;', ' {} \\;', ' {} +', ' a{} ";"', ' \\; -exec a \\;')])],
    [1, joined([pick('bash -c ', 'sh -c ', 'bash -ec ', 'bash -c -- ', 'bash +c ', 'bash -o pipefail -c ', 'env bash -c ', 'bash -norc -c '), quoted, pick('', ' a bc')])],
    [1, joined([pick('bash <<< ', 'bash -s a <<<'), quoted])],
  );
}

/** Builtins that evaluate a word once more, set a variable or change what follows. */
function builtin(depth: Depth): Arbitrary<string> {
  return often(
    [4, joined(['cd ', pick('sub', 'sub', 'link', '.', '', '-', 'a', '$x', '~', '-P link', 'link/..', '-- sub', '"$e"')])],
    [1, pick('command cd sub', 'builtin cd sub', 'eval cd sub')],
    [3, joined([pick('[', 'test'), list(often([2, word(depth)], [1, pick('-n', '-v', '-f', '=', '-eq', '-a', '!')]), 4), pick(' ]', '')])],
    [2, joined([pick('read ', 'declare ', 'declare -i ', 'declare -a ', 'export ', 'unset ', 'printf -v ', 'printf ', 'let ', 'local '), pick('x', 'HOME', '$h', '"$h"', '"$x"', 'x=1', 'x=$h', 'x="($(a))"', 'IFS=a', 'HOME=sub', 'x="$x"', 'z=(a $x)'), pick('', ' a', ' <<< a', ' <<< bc')])],
    [2, joined([pick('set -- ', 'set ', 'set -f ', 'set -e ', 'set -k ', 'shift ', 'return ', 'break ', 'continue ', ': ', 'true ', 'false '), words(0)])],
  );
}

function simple(depth: Depth): Arbitrary<string> {
  const direct = joined([assignments(depth), teller, words(depth), often([5, pick('')], [2, list(redirection, 2)])]);
  const odd = often(
    [3, joined([list(redirection, 1, ''), ' ', teller, words(0)])],
    [3, joined([assignments(depth), pick('')])],
    [2, joined([word(depth), words(0)])],
    [3, joined([teller, words(0), pick(' <<E\n', " <<'E'\n", ' <<-E\n', ' <<"E" >f\n'), pick('a\n', '$x\n', '$(a bc)\n', '`bc`\n', '\tE\n', ''), 'E\n'])],
  );
  return depth === 0 ? often([8, direct], [1, odd], [1, builtin(0)]) : often([12, direct], [2, odd], [3, builtin(depth)], [5, wrapped(depth)]);
}

const condition = often([3, joined([teller, words(0)])], [1, pick('! a', 'false', '[[ a == a ]]', '[[ -f a && $x ]]', '[[ $h -eq 1 ]]', '((1))', '((h))', '[[ $x =~ a ]]', '[[ a < bc ]]')]);

function compound(depth: Depth): Arbitrary<string> {
  const body = joined([script(below(depth)), '\n']);
  const items = list(word(0), 2);
  return often(
    [3, joined(['(', body, ')'])],
    [3, joined(['{ ', body, '}'])],
    [3, joined(['if ', condition, '; then ', body, pick('', 'else a\n', 'elif bc; then a\n'), 'fi'])],
    [2, joined([pick('while ', 'until '), condition, '; do ', body, pick('done', 'break; done', 'cd sub; done')])],
    [3, joined(['for x', pick(' in', ' in', '\nin', ''), items, '; do ', body, 'done'])],
    [1, joined(['for ((', pick('', 'i=0', 'h'), ';', pick('0', 'i<2'), ';', pick('', 'i++'), ')); do ', body, 'done'])],
    [3, joined(['case ', word(0), ' in ', pick('', '('), pick('a', '*', 'a|bc', '"a"*', '$x', '[ab])a;; *'), ') ', body, pick(';;', ';&', ';;&', ''), ' esac'])],
    [3, joined([pick('bc() ', 'f() ', 'function f ', 'f () ', 'function x.y() '), pick('{ ', '('), body, pick('}', ')'), pick('; f', '\nf a', '\nbc a', '')])],
    [1, joined(['select x in', items, '; do ', body, 'break; done <<< 1'])],
    [2, pick('[[ a ]]', '[[ $x == b* ]]', '[[ -v h ]]', '[[ $h -eq 0 ]]', '((1+2))', '((h))', '[[ ! -n $(a) ]]', '[[ ( a ) || b ]]')],
  ).chain((text) => often([5, pick(text)], [1, joined([text, ' ', redirection])]));
}

const joint = pick(';', '; ', '\n', '\n', ' && ', '&&', ' || ', '||\n', ' | ', '|', ' & ', ' |& ', ' # a\n', ';\\\n');

function script(depth: Depth): Arbitrary<string> {
  const statement = depth === 0 ? simple(0) : often([5, simple(depth)], [2, compound(depth)]);
  return fc
    .tuple(statement, fc.array(fc.tuple(joint, statement), { maxLength: depth === 0 ? 1 : 2, size: 'max' }))
    .map(([first, rest]) => rest.reduce((text, [glue, next]) => text + (text.endsWith('\n') ? '' : glue) + next, first));
}

const structured = often([2, script(1)], [3, script(2)], [1, script(3)]);

const splinter = pick(
  ...'\'"\\`$(){}[]<>|&;!#%=~*?, \t\n\r\v\u00a0\u2003\ufeff-@:+^é',
  ...'\\\n \r\n $( )) (( [[ ]] {} \'\' "" $\' <<E >f ;; && || $x a bc do done fi esac in then } { $[ ${ ${! coproc time function alias'.split(' '),
  ' \\\n',
  ' ',
  '\n',
);
type Edit = readonly [place: number, cut: number, insert: string];
const edit: Arbitrary<Edit> = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), pick('0', '0', '1', '2', '5').map(Number), fc.oneof(splinter, fc.constant('')));
const mutated = fc.tuple(structured, fc.array(edit, { minLength: 1, maxLength: 4, size: 'max' })).map(([text, edits]) => edits.reduce(edited, text));

function edited(text: string, [place, cut, insert]: Edit): string {
  const at = Math.floor(place * text.length);
  // Nothing to put in: what stands there is doubled.
  return text.slice(0, at) + (insert === '' ? text.slice(at, at + cut).repeat(2) : insert) + text.slice(at + cut);
}

/** Neither a path out of the folder, nor a descriptor that belongs to the test. */
function isHarmless(text: string): boolean {
  const rest = text.replaceAll(/(?<=^|[ <>='"\n])(?<!\\\n)(?:(?:sub|link|\.|~)\/[fga]|link\/\.\.)(?![\w.\\/$'"`*?{[])/g, '');
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
    if (process.env['TENON_TALLY']) console.log(tally);
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
      appendFileSync(process.env["OUT"] ?? "/tmp/surprises", surprises.map((each) => `${each}\n`).join(""));
    }),
    { numRuns: Number(process.env["RUNS"] ?? 4), endOnFailure: true },
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

type Foreseen = { readonly text: string; readonly cwd: string; readonly unclear: boolean; readonly commands: readonly (readonly Word[])[]; readonly files: readonly FileUse[] };
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
  read -r _ place </proc/self/fdinfo/9 && [ "$place" -gt 4000 ] && kill -9 0
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
    read -r _ place </proc/self/fdinfo/9 && ((place > 4000)) && kill -9 0
    printf '%s ' "\${@:2}"
    return $((($# - 1) % 2))
  }
  for name in ${NAMES.join(' ')}; do
    eval "function $name { tell $name \\"\\$@\\"; }"
  done
  command_not_found_handle() { tell "$@"; }
  FUNCNEST=8
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
    read -r _ place </proc/self/fdinfo/9 && [ "$place" -gt 4000 ] && kill -9 0
    shift
    printf '%s ' "$@"
    return $(($# % 2))
  }
  ${NAMES.slice(0, 3).map((name) => `${name}() { tell ${name} "$@"; }`).join('\n')}
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
    cd "$root/$number" && sh -c "$PRELUDE" sh "\${scripts[number]}" 9>>"$root/$number.log"
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
  // Without a terminal that the groups of processes would take turns with.
  const telling = ['--norc', '--noprofile', '-c', shell === 'bash' ? TELLING_BASH : TELLING_SH];
  const { status } = spawnSync('setsid', ['-w', 'bash', ...telling], {
    cwd: folder,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', PRELUDE: DASH_PRELUDE, BATCH: path.basename(work), ...VARIABLES },
    input: scripts.map((text) => `${text}\0`).join(''),
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  if (status === null) throw new Error('the shell did not come to an end');
  return cases.map(({ cwd }) => ({ argvs: argvsTold(`${cwd}.log`), files: filesMade(cwd) }));
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
