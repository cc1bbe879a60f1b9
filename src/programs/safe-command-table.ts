/**
 * Commands that only read, and the words with which they do. A command is here only if no option of it that is left
 * open writes, runs or changes anything, on Linux or macOS.
 *
 * Left out on purpose: `awk`, `make`, `xargs` and pagers (they run commands), `env` and `printenv` (secrets), `tee`,
 * `split` and `shuf` (they write), `yq` and `zcat`, `--version` of language tools (their shims may install one).
 */
import type { Word } from '../shell/reading.js';
import { listed } from './command-options.js';
import { endsPlainly, printsLines, printsPlainly, setsStrictness, testsPlainly } from './safe-forms.js';
import { filtersPlainly, listsProcesses } from './secret-forms.js';

export type SafeRule = AnyRule | WithoutRule | OnlyRule | FirstRule | FormRule;

type AnyRule = { readonly any: true };

/** Whatever it is given, but none of these options. */
export type WithoutRule = {
  readonly without: readonly string[];
  /** Options whose value may stand in the next word, whatever that turns out to be. */
  readonly takes?: readonly string[];
  /** Options that surely have no value in the next word. */
  readonly flags?: readonly string[];
  /** `--` does not end its options. */
  readonly throughout?: true;
};

/** These options and no others. */
export type OnlyRule = {
  readonly only: readonly string[];
  readonly takes?: readonly string[];
  readonly operands: 'none' | 'any' | 'last' | { readonly beginning: string };
  /** Operands come only with one of these. */
  readonly needs?: readonly string[];
  /** Options whose value must be known. */
  readonly exact?: readonly string[];
  /** The program does not take letters apart: `-bc` is `-b` to it. */
  readonly whole?: true;
};

/** What comes first decides. */
export type FirstRule = {
  readonly first: Readonly<Record<string, SafeRule>>;
  /** Nothing need come. */
  readonly alone?: true;
  /** Options that may stand before it. */
  readonly globals?: readonly string[];
  /** What no words may say, one blank between them. */
  readonly never?: RegExp;
};

type FormRule = { readonly form: (words: readonly Word[]) => boolean };

const ANY: AnyRule = { any: true };
const NOTHING: OnlyRule = { only: [], operands: 'none' };

/** `diff` and `log` may hand over to other programs, and write their output to a file. */
const GIT_WITHOUT = listed(`
  --output --ext-diff --textconv --filters --exec --paginate
  --open-files-in-pager --ext-grep --upload-pack --config-env --show-signature
`);
const GIT_FLAGS = listed(`
  -p -u -s -w -b --patch --no-patch --stat --numstat --shortstat --summary
  --name-only --name-status --cached --staged --oneline --graph --all --follow --reverse
  --merges --no-merges --no-color --color --check --raw --word-diff --abbrev-commit
`);
const GIT_READING: WithoutRule = { without: GIT_WITHOUT };
const GIT_DIFF: WithoutRule = { without: GIT_WITHOUT, flags: GIT_FLAGS };
const GIT_LOG: WithoutRule = {
  without: GIT_WITHOUT,
  flags: GIT_FLAGS,
  takes: listed(`
    -n -S -G -L --max-count --skip --since --until --after --before
    --author --committer --grep
  `),
};
/** Whoever asks for a signature has a program of the settings' choice check it. */
const SIGNATURE = /%[-+ ]?G|%\(\*?(?:contents:)?signature|--s\w*[= ]\S*signature/;
const REF_FILTERS = ['--contains', '--no-contains', '--merged', '--no-merged', '--points-at', '--sort', '--format'];

const GIT: FirstRule = {
  // Not `-C`: the settings of another folder may name programs to run.
  globals: ['-P', '--no-pager', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs'],
  never: SIGNATURE,
  first: {
    '--version': NOTHING,
    blame: GIT_READING,
    // A name makes a branch, and so it did with `-l` in older versions.
    branch: {
      only: listed(`
        -l --list --show-current -a --all -r --remotes -v -vv --verbose
        -i --ignore-case --no-color --color --no-column --no-abbrev
      `),
      takes: REF_FILTERS,
      exact: ['--sort', '--format'],
      operands: 'any',
      needs: ['--list'],
    },
    'cat-file': GIT_READING,
    'check-ignore': GIT_READING,
    config: {
      only: listed(`
        -l --list --get --get-all --get-regexp --show-origin --show-scope --name-only
        --global --local --system --worktree -z --null --bool --int --includes
      `),
      takes: ['-f', '--file', '--type', '--default'],
      operands: 'any',
      needs: ['-l', '--list', '--get', '--get-all', '--get-regexp'],
    },
    'count-objects': GIT_READING,
    describe: GIT_READING,
    diff: GIT_DIFF,
    'for-each-ref': GIT_READING,
    grep: {
      without: [...GIT_WITHOUT, '-O'],
      takes: ['-e', '-A', '-B', '-C'],
      flags: ['-n', '-i', '-l', '-w', '-c', '-E', '-F', '-P', '-I', '-h', '-H', '-q', '--cached', '--untracked'],
    },
    log: GIT_LOG,
    'ls-files': GIT_READING,
    'ls-tree': GIT_READING,
    'merge-base': GIT_READING,
    'name-rev': GIT_READING,
    reflog: { first: { show: GIT_LOG }, alone: true },
    remote: { first: { '-v': NOTHING, '--verbose': NOTHING, 'get-url': GIT_READING }, alone: true },
    'rev-list': GIT_LOG,
    'rev-parse': GIT_READING,
    shortlog: GIT_READING,
    show: GIT_LOG,
    'show-ref': GIT_READING,
    stash: { first: { list: GIT_LOG, show: GIT_DIFF } },
    status: { without: GIT_WITHOUT, flags: ['-s', '--short', '-b', '--branch', '--porcelain', '-z'] },
    tag: {
      only: ['-l', '--list', '-n', '-i', '--ignore-case', '--no-color', '--color', '--no-column'],
      takes: REF_FILTERS,
      exact: ['--sort', '--format'],
      operands: 'any',
      needs: ['-l', '--list'],
    },
    worktree: { first: { list: { only: ['-v', '--verbose', '--porcelain', '-z'], operands: 'none' } } },
  },
};

/** What takes any words at all. */
const ANYTHING = listed(`
  cat cd echo false grep egrep fgrep head ls nl pwd tail true :
  wc which type cut expr id groups paste rev seq stat tr uname whoami
  numfmt tac basename dirname realpath readlink cmp comm join fold fmt expand
  unexpand column tsort factor look nproc tty du df free uptime sleep
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum cksum sum
  od hexdump strings
`);

export const SAFE_COMMANDS: ReadonlyMap<string, SafeRule> = new Map<string, SafeRule>([
  ...ANYTHING.map((name): [string, SafeRule] => [name, ANY]),
  ['[', { form: testsPlainly }],
  // On macOS it runs the command it is given.
  ['arch', NOTHING],
  ['base64', { without: ['-o', '--output'] }],
  ['break', { form: endsPlainly }],
  ['command', { first: { '-v': ANY, '-V': ANY } }],
  ['continue', { form: endsPlainly }],
  // Without a `+` it sets the clock.
  [
    'date',
    {
      only: listed(`
        -u --utc --universal -R --rfc-email --rfc-2822 -I --iso-8601
        -Idate -Ihours -Iminutes -Iseconds -Ins
      `),
      takes: ['-d', '--date', '-r', '--reference', '--rfc-3339'],
      operands: { beginning: '+' },
    },
  ],
  // Pages through `pr`.
  ['diff', { without: ['-l', '--paginate'], takes: ['-U', '-C', '-x', '-I', '-W'], flags: ['-u', '-r', '-q', '-N'] }],
  ['exit', { form: endsPlainly }],
  // Compiles magic files, runs programs to unpack, and sets times.
  ['file', { without: listed('-C --compile -z -Z --uncompress --uncompress-noreport -p --preserve-date') }],
  ['find', findRule()],
  ['git', GIT],
  // An operand becomes the name.
  ['hostname', { only: ['-f', '-s', '-i', '-I', '-d', '-A', '--fqdn', '--short', '--domain'], operands: 'none' }],
  ['jq', { form: filtersPlainly }],
  ['printf', { form: printsPlainly }],
  ['ps', { form: listsProcesses }],
  ['rg', ripgrepRule()],
  ['sed', { form: printsLines }],
  ['set', { form: setsStrictness }],
  [
    'sort',
    {
      without: ['-o', '--output', '-T', '--temporary-directory', '--compress-program'],
      takes: ['-k', '--key', '-t', '--field-separator', '-S', '--buffer-size'],
      flags: ['-n', '-r', '-u', '-f', '-b', '-d', '-g', '-h', '-i', '-M', '-V', '-R', '-s', '-z', '-c', '-C', '-m'],
    },
  ],
  ['test', { form: testsPlainly }],
  // `-R` starts it anew for each folder, writing a file there.
  ['tree', { without: ['-o', '-R', '--output'] }],
  // Writes its second operand.
  [
    'uniq',
    {
      only: listed(`
        -c -d -D -i -u -z
        --count --repeated --all-repeated --ignore-case --unique --zero-terminated
      `),
      takes: ['-f', '-s', '-w', '--skip-fields', '--skip-chars', '--check-chars'],
      operands: 'last',
    },
  ],
  // Writes its second operand too, and takes options behind the first for it.
  [
    'xxd',
    {
      only: ['-a', '-b', '-C', '-e', '-i', '-p', '-ps', '-u'],
      takes: ['-c', '-g', '-l', '-s', '-o'],
      operands: 'last',
      whole: true,
    },
  ],
]);

function findRule(): WithoutRule {
  return {
    without: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fls', '-fprint', '-fprint0', '-fprintf'],
    takes: listed(`
      -name -iname -path -ipath -wholename -iwholename -regex -iregex -type -perm
      -maxdepth -mindepth -newer -size -user -group -mtime -mmin -atime -ctime
    `),
    flags: ['-o', '-a', '-or', '-and', '-not', '-print', '-print0', '-prune', '-empty', '-follow', '-xdev', '-depth'],
    throughout: true,
  };
}

function ripgrepRule(): WithoutRule {
  return {
    without: ['--pre', '--hostname-bin', '-z', '--search-zip'],
    takes: listed(`
      -e -g -t -T -A -B -C -m -M -f -j -r -E -d
      --regexp --glob --iglob --type --type-not --max-count --max-depth --context --file
    `),
    flags: listed(`
      -i -n -l -c -v -w -x -o -F -S -s -u -H -N -P -U -0 -a
      --files --hidden --no-ignore --ignore-case --line-number --files-with-matches --json
      --fixed-strings --word-regexp --count --smart-case --no-heading --heading --multiline
    `),
  };
}
