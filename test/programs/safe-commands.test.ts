import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { dangerOf } from '../../src/programs/dangerous-commands.js';
import { splitGlobalOptions, withoutGlobalOptions } from '../../src/programs/global-options.js';
import { anyProgramName, programName } from '../../src/programs/program-name.js';
import { SAFE_COMMANDS } from '../../src/programs/safe-command-table.js';
import type { SafeRule } from '../../src/programs/safe-command-table.js';
import { isSafeCommand } from '../../src/programs/safe-commands.js';
import type { Word } from '../../src/shell/reading.js';
import { propertyRuns } from '../support/property-runs.js';
import { wordsOf } from './words.js';

const SAFE = String.raw`
  cat a b
  cat "$f"
  cat $files
  cat -n src/*.ts
  /bin/cat a
  /usr/local/bin/cat a
  cd ..
  cd "$dir"
  echo $HOME
  echo -n a
  false
  true
  :
  grep -rn foo src
  grep -f patterns "$f"
  head -n 5 a
  ls
  ls -la *.ts
  nl a
  pwd
  tail -f log
  wc -l *
  which node
  cut -d, -f1 a
  expr 1 + 2
  id -u
  paste a b
  rev a
  seq 1 10
  stat -c %s a
  tr a-z A-Z
  uname -a
  whoami
  numfmt --to=iec 1024
  tac a
  basename /a/b .c
  dirname "$0"
  realpath .
  readlink -f a
  cmp a b
  comm -12 a b
  sha256sum *.tgz
  md5sum -c sums
  du -sh *
  df -h
  ps aux
  ps auxww
  ps -ef
  ps -efww
  ps -ef --forest
  ps -eo pid,etime,args --sort=-rss
  ps -e -o pid=,comm=
  ps -axo pid,%cpu,command
  ps -p 12 -o etime=
  ps -p "$pid" -o comm=
  sleep 1
  jq -r .name package.json
  jq --arg a "$b" . f
  jq -rc '.a[]' -- f
  jq .a "src/$f" lib/*.json
  jq -n --argjson a 1 '$a' --tab --indent 2
  od -c a
  strings a.out
  hexdump -C a
  column -t a
  type ls
  command -v node
  command -V "$x"
  base64 a
  base64 -d a
  diff a b
  diff -ru a b
  diff -U 3 -- "$a" "$b"
  date
  date +%s
  date -u +%Y-%m-%dT%H:%M:%SZ
  date -d '2 days ago' +%F
  date -d "$d"
  date -Iseconds
  date "+%Y $x"
  file a
  file -b --mime-type a
  find . -name '*.ts'
  find . -type f -name "$pattern" -print0
  find src test -maxdepth 2 -not -path '*/x/*'
  find src/*.d -type f
  hostname
  hostname -f
  arch
  printf '%s\n' "$x"
  printf '%s\n' $x
  printf '%5.2f %d\n' 1.5 3
  printf hello
  printf '%(%Y)T' -1
  rg foo
  rg -n foo src
  rg -e "$p" src
  rg -in -e "$p" -g '*.zip'
  rg foo -- "$f"
  rg -g'*.zip' foo
  rg --files
  rg --no-pre foo
  rg foo src/*.ts
  sed -n 5p a
  sed -n 1,5p a b
  sed -n '/foo/p' a
  sed -n '1,$p' a
  sed -n '1,5p;9p' a
  sed -n 5p -- "$f"
  sed -n 5p src/*.ts
  set -e
  set -euo pipefail
  sort a
  sort -u -k 2,2n a
  sort -t o a
  sort -to a
  sort -k 2 -- "$f"
  tree -L 2 src
  uniq
  uniq -c a
  uniq -f 1 a
  uniq -f "$n" a
  xxd a
  xxd -l 16 a
  xxd -ps a
  xxd -c16 -g 1 a
  xxd -s 0x10 -l "$n" a
  [ -f x ]
  [ -f "$x" ]
  [ ! -d "$x" ]
  [ "$x" = y ]
  [ "$x" ]
  [ 1 -lt 2 ]
  test -n a -a -d b
  test ! -e a
  /usr/bin/[ -f x ]
  exit
  exit 1
  exit $?
  break
  continue 2
  git status
  git status -s
  git --no-pager log --oneline -5
  git --no-optional-locks -P log
  git log -n "$n"
  git log --format='%h %an %s'
  git log --oneline -n "$n"
  git log -p -- "$f"
  git log -c
  git diff
  git diff --cached -- src
  git diff --stat -- $files
  git diff HEAD~1 src/*.ts
  git diff --output-indicator-new=x
  git show HEAD:a
  git branch
  git branch -a
  git branch -vv
  git branch --show-current
  git branch --list 'feature/*'
  git branch --format='%(refname)'
  git branch -r --contains HEAD
  git ls-files
  git ls-files -co
  git rev-parse HEAD
  git blame -L 1,5 a
  git describe --tags
  git cat-file -p HEAD
  git ls-tree -r HEAD
  git show-ref
  git shortlog -sn HEAD
  git remote
  git remote -v
  git remote get-url origin
  git tag
  git tag -l 'v*'
  git tag --list
  git tag -l --sort=-creatordate
  git stash list
  git stash show -p
  git config --get user.name
  git config --list
  git config -l --show-origin
  git config --global --get-all remote.origin.url
  git worktree list
  git grep foo
  git grep signature
  git grep -n -e "$p"
  git grep -n foo -- "$f"
  git reflog
  git reflog show HEAD
  git merge-base a b
  git rev-list --count HEAD
  git for-each-ref
  git for-each-ref --sort=-committerdate --format='%(refname) %(contents:subject)'
  git --version
`;

const NOT_SAFE = String.raw`
  ./ls
  ../bin/ls
  /tmp/ls
  /usr/bin/../../tmp/ls
  /usr/bin/x/ls
  bin/ls
  ls/
  'git status'
  'ls -l'
  $cmd
  "$cmd" a
  env
  printenv
  awk 1 a
  tee a
  vim a
  constructor
  __proto__
  cargo check
  zsh
  npm test
  arch ls
  arch -x86_64 ls
  base64 -o b a
  base64 -ob a
  base64 -Do b a
  base64 --output=b a
  base64 --outp b a
  base64 "$x"
  command ls
  command -p ls
  command
  date 010100002030
  date -s '1 Jan'
  date --set=x
  date --se x
  date +%s "$x"
  date "$x"
  date -f a
  date $x
  diff -l a b
  diff -ul a b
  diff --paginate a b
  diff --pag a b
  diff "$a" "$b"
  file -C -m a
  file -bC
  file --compile
  file --com
  file -z a.gz
  file -p a
  file --preserve-date a
  file $x
  find . -delete
  find . -exec ls '{}' +
  find . -execdir ls ';'
  find . -ok ls ';'
  find . -okdir ls ';'
  find . -fls a
  find . -fprint a
  find . -fprint0 a
  find . -fprintf a b
  find -- . -delete
  find . -name '*' -delete
  find "$dir"
  find $dir -name a
  find . -name -name "$x"
  find . -name $x
  find . $args
  find *.d
  hostname new
  hostname -F a
  hostname "$x"
  jq env
  jq -n '$ENV.TOKEN'
  jq -n '"\(env)"'
  jq . .env
  jq -f prog a
  jq -rf prog a
  jq --from-file prog a
  jq -L lib 'f' a
  jq 'include "m"; f' a
  jq 'import "m" as m; m::f' a
  jq "$filter" a
  jq ".a$x" a
  jq $args .a
  jq -r$x .a
  jq .a "$f"
  jq .a $files
  jq --arg $a b .a
  jq --arg a $b .a
  jq --arg a * .a
  jq -i .a f
  jq --unheard .a
  ps e
  ps E
  ps auxe
  ps -auxe
  ps -eaux
  ps -ef -x
  ps -E
  ps -o environ
  ps -eo environ
  ps -o pid,environ
  ps -uo etime
  ps -u me
  ps etime
  ps "$x"
  ps -p $pid
  ps aux $x
  ps --unheard
  printf -v x a
  printf '%n' PATH
  printf '%5n' PATH
  printf "$x"
  printf $x
  printf '%d' 'a[0]'
  printf '%s %d' a "$x"
  printf '%*d' 1 2
  rg --pre cat foo
  rg --pre=cat foo
  rg --pr cat foo
  rg --hostname-bin x foo
  rg --hostname-bin=x foo
  rg -z foo
  rg -lz foo
  rg -nzi foo
  rg --search-zip foo
  rg --search foo
  rg "$p"
  rg $p
  rg foo *.ts
  rg foo src/$x
  rg -A -- --pre=x foo
  rg -e $p
  rg -A src/* -- --pre=x foo
  rg -A -e "$p"
  rg foo "-$x"
  sed p a
  sed -n p a
  sed -n 1,5d a
  sed -n '1,5w b' a
  sed -n '1e ls' a
  sed -n 5p -i a
  sed -n 5p "$f"
  sed -n 5p *.ts
  sed -n -e 5p a
  sed -i s/a/b/ a
  sed -n '/a\/p;w b' a
  sed -n "$s" a
  sed -n s/a/b/e a
  sed --in-place -n 5p a
  set
  set -x
  set -o allexport
  set -- a b
  set -e x
  sort -o b a
  sort -ob a
  sort -uo b a
  sort --output=b a
  sort --o=b a
  sort --compress-program=x a
  sort --comp x a
  sort -T /x a
  sort --temp=/x a
  sort "$f"
  sort *.txt
  sort -k -- -o b
  sort a -o b
  tree -o a
  tree -ao a
  tree -R -L 2
  uniq a b
  uniq -c a b
  uniq a -c
  uniq "$a"
  uniq src/*
  uniq -c$x
  uniq --co a
  uniq -- a b
  xxd a b
  xxd a -p
  xxd -r a
  xxd -pr a
  xxd src/*
  xxd -bc in out
  xxd -pc in out
  xxd -ac in out
  xxd -ul in out
  xxd -bp a
  xxd --bc in out
  xxd -cx in out
  xxd -cols 8 a
  xxd -bc"$x" in
  xxd -c "-$x" in out
  [ -v 'a[$(x)]' ]
  [ -v x ]
  [ -R x ]
  [ 'a[$(x)]' -eq 1 ]
  [ "$x" -eq 1 ]
  [ $x ]
  [ -f $x ]
  [ "$op" x ]
  [ a
  [
  test -v x
  test a -lt 2
  test "$a" -a "$b"
  exit 'a[$(x)]'
  exit "$x"
  exit 1 2
  continue x
  read x
  export A=b
  declare -i 'x=a[0]'
  let x=1
  unset 'a[$(x)]'
  eval ls
  source a
  . a
  hash
  exec ls
  git
  git -c core.pager=x log
  git -c core.pager=x status
  git --config-env=a=b status
  git --exec-path=/x status
  git --git-dir=x status
  git --git-dir x status
  git --work-tree=x status
  git -p log
  git --paginate log
  git -C $dir status
  git -C sub status
  git -C . status
  git -C "$dir" log
  git -Csub status
  git log --show-signature
  git log --show-sig
  git show --show-signature HEAD
  git stash list --show-signature
  git rev-list --show-signature HEAD
  git log --format='%h %G?'
  git log --pretty=format:%GK
  git log --format='%h%+GK'
  git log --format='%h% GS'
  git log --format='%h%-GS'
  git log --format %GG
  git show -s --pretty='%G?' HEAD
  git for-each-ref --format='%(signature)'
  git for-each-ref --format='%(*signature:key)'
  git for-each-ref --format='%(contents:signature)'
  git for-each-ref --sort=-signature:key
  git for-each-ref --sort signature
  git branch --format='%(signature:grade)'
  git branch --sort=signature:grade
  git branch --format "$x"
  git branch --sort "$x"
  git tag -l --format="$x"
  git tag -l --format '%(contents:signature)'
  git for-each-ref --format="$x"
  git $x status
  git "$x"
  git commit -m a
  git push
  git fetch
  git checkout a
  git stash
  git stash pop
  git diff --output=a
  git diff --output a
  git diff --outp=a
  git diff --o=a
  git diff --ext-diff
  git diff --ext
  git diff --textconv
  git log --output=a
  git log -p --ext-diff
  git log --exec=a
  git show --ext-diff
  git show --textconv a
  git diff "$x"
  git diff $x
  git diff -O -- --output=a
  git log -n -- --output=a
  git log --format="$x" $y
  git shortlog --output=a
  git blame --outpu=a
  git blame -n "$x"
  git branch new
  git branch -d a
  git branch -D a
  git branch -m a b
  git branch -l new
  git branch -a new
  git branch --edit-description
  git branch --unset-upstream
  git branch "$x"
  git branch --lis a
  git cat-file --textconv HEAD:a
  git cat-file --filters HEAD:a
  git cat-file --filt HEAD:a
  git remote add a b
  git remote -v update
  git remote update
  git remote show origin
  git tag v1
  git tag -d v1
  git tag -n v1
  git tag -- --list v1
  git tag -a v1 -m x
  git config user.name x
  git config user.name
  git config --file --get a b
  git config --unset a
  git config --edit
  git config --get a --unset
  git config --global core.pager x
  git config --type int a 5
  git worktree add a
  git worktree list x
  git grep -O foo
  git grep -Oless foo
  git grep -nO foo
  git grep --open-files-in-pager=x foo
  git grep --open foo
  git reflog expire --all
  git reflog delete a
  git ls-remote origin
  git archive HEAD
`;

const listed = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe('a command is known to be safe', () => {
  test.each(listed(SAFE))('%s', (line) => {
    expect(isSafeCommand(wordsOf(line))).toBe(true);
    expect(dangerOf(wordsOf(line))).toBeUndefined();
  });
});

describe('a command is not known to be safe', () => {
  test.each(listed(NOT_SAFE))('%s', (line) => {
    expect(isSafeCommand(wordsOf(line))).toBe(false);
  });

  test('a word that may become several, unless all of them begin as it does', () => {
    const diff = (source: string) => isSafeCommand(['git', 'diff', { source, begins: 'HEAD', splits: true }]);
    expect(['HEAD~3', 'HEAD@{1}', 'HEAD*', 'HEAD$x', 'HEAD`x`', 'HEAD@(a|b)'].map(diff)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('no words at all', () => {
    expect(isSafeCommand([])).toBe(false);
    expect(isSafeCommand([''])).toBe(false);
  });
});

test('a program is known by its name, or by a path into the folders of the system', () => {
  const words = ['rm', '/bin/rm', '/opt/homebrew/bin/rm', './rm', '/tmp/rm', '/usr/bin/', '//bin/rm', ''];
  expect(words.map(programName)).toEqual(['rm', 'rm', 'rm', undefined, undefined, undefined, undefined, undefined]);
  expect(words.map(anyProgramName)).toEqual(['rm', 'rm', 'rm', 'rm', 'rm', undefined, 'rm', undefined]);
  expect(anyProgramName('/BIN/RM')).toBe('rm');
  expect(anyProgramName({ source: '$x', begins: '', splits: true })).toBeUndefined();
});

test.each([
  ['git -C . push', 'git push'],
  ['git -C "$d" -c a=b --git-dir=x --git-dir y --no-pager push -f', 'git push -f'],
  ['git --work-tree="$x" push', 'git push'],
  ['git -C $d push', 'git -C $d push'],
  ['git $x push', 'git $x push'],
  ['git --unheard push', 'git --unheard push'],
  ['git -C', 'git -C'],
  ['git-push -f', 'git push -f'],
  ['/usr/lib/git-core/git-push origin', 'git push origin'],
  ['git-', 'git-'],
  ['git -c alias.x=push x', 'git -c alias.x=push x'],
  ['git -C d -c a=b -c ALIAS.x=push --no-pager x', 'git -c ALIAS.x=push --no-pager x'],
  ['git -c "$x" x', 'git -c "$x" x'],
  ['git -c "al$x" x', 'git -c "al$x" x'],
  ['git -c "core.editor=$x" push', 'git push'],
  ['git --config-env=alias.x=Y x', 'git --config-env=alias.x=Y x'],
  ['git --config-env alias.x=Y x', 'git --config-env alias.x=Y x'],
  ['docker -H tcp://x --debug system prune', 'docker system prune'],
  ['kubectl -n prod --context=x delete pod a', 'kubectl delete pod a'],
  ['kubectl -nprod delete pod a', 'kubectl delete pod a'],
  ['cargo +nightly -q publish', 'cargo publish'],
  ['terraform -chdir=infra destroy', 'terraform destroy'],
  ['ls -C x', 'ls -C x'],
])('%s reads as %s', (line, expected) => {
  expect(withoutGlobalOptions(wordsOf(line))).toEqual(wordsOf(expected));
});

test('a command without global options is handed back as it is', () => {
  const words = wordsOf('git push');
  expect(withoutGlobalOptions(words)).toBe(words);
});

/** Every rule with the words that lead to it. */
function rulesBelow(rule: SafeRule, path: readonly string[]): readonly (readonly [readonly string[], SafeRule])[] {
  if (!('first' in rule)) return [[path, rule]];
  return Object.entries(rule.first).flatMap(([first, inner]) => rulesBelow(inner, [...path, first]));
}

const RULES = [...SAFE_COMMANDS].flatMap(([name, rule]) => rulesBelow(rule, [name]));

/** Ways to write an option: as it is, with a value, cut short, in a cluster. */
function spellings(option: string, flags: readonly string[]): readonly string[] {
  if (option.startsWith('--')) {
    const cut = Array.from({ length: option.length - 2 }, (_, at) => option.slice(0, at + 3));
    return cut.flatMap((name) => [name, `${name}=x`]);
  }
  if (option.length > 2) return [option];
  const letters = flags.filter((flag) => /^-\w$/.test(flag)).map((flag) => flag.slice(1));
  return [option, `${option}x`, ...letters.map((letter) => `-${letter}${option.slice(1)}`)];
}

const unknownWord = fc.record({
  source: fc.constantFrom('$x', '"$x"', '*', '"$(y)"', 'src/*', '`z`'),
  begins: fc.constantFrom('', '-', '--', 'a', 'src/', '--out', '/dev/'),
  splits: fc.boolean(),
});
const known = fc.constantFrom(...RULES.flatMap(([path]) => path), '-', '-a', '--all', '-n', '5', 'src', '.', '/', ']');
const anyWord: fc.Arbitrary<Word> = fc.oneof(known, fc.string(), fc.string({ unit: 'binary' }), unknownWord);

const forbidden = RULES.flatMap(([path, rule]) =>
  'without' in rule
    ? rule.without.flatMap((each) => spellings(each, rule.flags ?? []).map((word) => ({ path, word })))
    : [],
);

test('no words around it make a forbidden option safe', () => {
  expect(forbidden.length).toBeGreaterThan(300);
  fc.assert(
    fc.property(
      fc.constantFrom(...forbidden),
      fc.array(anyWord.filter((word) => word !== '--')),
      fc.array(anyWord),
      ({ path, word }, before, after) => !isSafeCommand([...path, ...before, word, ...after]),
    ),
    propertyRuns(2_000, 500_000),
  );
});

test('an option that is not listed is not safe where only listed ones are', () => {
  const strict = RULES.flatMap(([path, rule]) => ('only' in rule ? [{ path, rule }] : []));
  fc.assert(
    fc.property(
      fc.constantFrom(...strict),
      fc.stringMatching(/^--?[a-zA-Z][a-z-]{0,12}(=x)?$/),
      fc.array(known.filter((word) => !word.startsWith('-'))),
      ({ path, rule }, option, operands) => {
        const name = option.split('=', 1)[0] ?? '';
        const all = new Set([...rule.only, ...(rule.takes ?? [])]);
        const isKnown = all.has(name) || (!name.startsWith('--') && all.has(name.slice(0, 2)));
        fc.pre(!isKnown);
        return !isSafeCommand([...path, option, ...operands]);
      },
    ),
    propertyRuns(2_000),
  );
});

test('a word that may be anything is safe only where anything is, or where it is a value', () => {
  const anything: Word = { source: '$x', begins: '', splits: true };
  const open = RULES.filter(([path]) => isSafeCommand([...path, anything])).map(([path]) => path.join(' '));
  const any = RULES.filter(([, rule]) => 'any' in rule).map(([path]) => path.join(' '));
  expect(open).toEqual(any);
});

test('no words make any of it throw', () => {
  fc.assert(
    fc.property(fc.array(anyWord), (words) => {
      isSafeCommand(words);
      dangerOf(words);
      splitGlobalOptions(words);
    }),
    propertyRuns(2_000, 500_000),
  );
});
