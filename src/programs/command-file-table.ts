/** Which words of a command are files, and what happens to them. */
import { listed } from './command-options.js';

export type FileHabits = {
  /**
   * `copy`: all are read, the last is written. `move`: the same, and those read are gone. `filter`: the first is read,
   * the second written. `script`: the first is read, what follows is for it. `archive`: the first is written. `pack`:
   * all are changed, and their names too.
   */
  readonly operands: 'read' | 'write' | 'change' | 'copy' | 'move' | 'filter' | 'archive' | 'script' | 'pack' | 'none';
  /** Options with a value that is no file. */
  readonly takes?: readonly string[];
  readonly glued?: readonly string[];
  readonly flags?: readonly string[];
  readonly pairs?: readonly string[];
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Options that name the folder into which all operands go. */
  readonly into?: readonly string[];
  /** With these, what is copied keeps its folders. */
  readonly keepsPath?: readonly string[];
  /** What names end with that are packed, and options that say it. */
  readonly suffixes?: readonly string[];
  readonly suffixWith?: readonly string[];
  /** The first operand is no file: a pattern, a program, an owner. */
  readonly skipsFirst?: true | RegExp;
  /** Unless one of these options stands for it. */
  readonly unless?: readonly string[];
  /** Operands are changed with one of these, and only read with one of those. */
  readonly changesWith?: readonly string[];
  readonly readsWith?: readonly string[];
  /** Folders are walked, always or with one of these. */
  readonly whole?: true | readonly string[];
  /** Without operands it works on the current folder. */
  readonly here?: true;
  /** Operands such as `host:path` are elsewhere. */
  readonly remote?: true;
};

const read = (takes = '', more: Partial<FileHabits> = {}): FileHabits => ({
  operands: 'read',
  takes: listed(takes),
  ...more,
});
const RECURSIVE = ['-r', '-R', '--recursive'];
const script = (code: string, takes: string, more: Partial<FileHabits> = {}): FileHabits => ({
  operands: 'script',
  takes: listed(`${code} ${takes}`),
  unless: listed(code),
  ...more,
});

const GREP = read('-e --regexp -A -B -C -m -d -D --include --exclude --exclude-dir --label --max-count --context', {
  reads: ['-f', '--file', '--exclude-from'],
  skipsFirst: true,
  unless: ['-e', '--regexp', '-f', '--file'],
  whole: ['-r', '-R', '--recursive', '--dereference-recursive'],
});
const RIPGREP = read(
  `-e -g -t -T -A -B -C -m -M -j -r -E -d --regexp --glob --iglob --type --type-not --max-count --max-depth --context
   --replace --encoding --sort --sortr --color --colors --threads --pre --pre-glob --engine --hostname-bin`,
  {
    reads: ['-f', '--file', '--ignore-file'],
    skipsFirst: true,
    unless: ['-e', '--regexp', '-f', '--file', '--files', '--type-list'],
    whole: true,
    here: true,
  },
);
const CHECKSUM = read('-a --algorithm -l --length');
const OWNER: FileHabits = {
  operands: 'write',
  takes: ['--from'],
  reads: ['--reference'],
  skipsFirst: true,
  unless: ['--reference'],
  whole: ['-R', '--recursive'],
};
const packer = (suffixes: string, writes = ''): FileHabits => ({
  operands: 'pack',
  takes: ['-S', '--suffix', '-T', '--threads'],
  reads: ['--files', '--files0', '--filelist'],
  writes: listed(writes),
  readsWith: ['-c', '--stdout', '--to-stdout', '-l', '--list', '-t', '--test'],
  suffixes: listed(suffixes),
  suffixWith: ['-S', '--suffix'],
  whole: ['-r', '--recursive'],
});
const NO_OPERANDS: FileHabits = { operands: 'none' };
const COPY_FLAGS = ['-r', '-R', '--recursive', '-a', '--archive'];
const SHELL = script('-c', '-O -o', { reads: ['--rcfile', '--init-file'] });
const PYTHON = script('-c -m', '-W -X');

export const FILE_HABITS: ReadonlyMap<string, FileHabits> = new Map<string, FileHabits>([
  ...listed('cat rev more sum tsort comm').map((name): [string, FileHabits] => [name, read()]),
  ['wc', read('', { reads: ['--files0-from'] })],
  ['tac', read('-s --separator')],
  ['nl', read('-b -d -f -h -i -l -n -s -v -w')],
  ['cmp', read('-i -n --ignore-initial --bytes')],
  ['join', read('-1 -2 -j -t -o -e -a -v')],
  ['paste', read('-d --delimiters')],
  ['expand', read('-t --tabs')],
  ['unexpand', read('-t --tabs')],
  ['fold', read('-w --width')],
  ['fmt', read('-w -p --width --prefix')],
  ...listed('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum md5').map(
    (name): [string, FileHabits] => [name, CHECKSUM],
  ),
  ...listed('grep egrep fgrep zgrep').map((name): [string, FileHabits] => [name, GREP]),
  ['rg', RIPGREP],
  ['ag', { ...RIPGREP, takes: listed('-A -B -C -G -m --ignore --depth'), unless: ['-g'] }],
  ...listed('fd fdfind').map((name): [string, FileHabits] => [
    name,
    { ...RIPGREP, takes: listed('-e -E -t -d -j -S --extension --exclude --type --max-depth'), reads: [], unless: [] },
  ]),
  ...listed('bash sh dash zsh ksh fish').map((name): [string, FileHabits] => [name, SHELL]),
  ...listed('python python2 python3').map((name): [string, FileHabits] => [name, PYTHON]),
  ...listed('gzip gunzip').map((name): [string, FileHabits] => [name, packer('.gz')]),
  ...listed('bzip2 bunzip2').map((name): [string, FileHabits] => [name, packer('.bz2 .out')]),
  ...listed('xz unxz lzma unlzma').map((name): [string, FileHabits] => [name, packer('.xz .lzma')]),
  ...listed('zstd unzstd').map((name): [string, FileHabits] => [
    name,
    packer('.zst', '-o --output-dir-flat --output-dir-mirror'),
  ]),
  ...listed('cd chdir pushd').map((name): [string, FileHabits] => [name, read()]),
  [
    'date',
    { ...NO_OPERANDS, takes: listed('-d --date -s --set'), reads: listed('-f --file -r --reference'), glued: ['-I'] },
  ],
  ['hostname', { ...NO_OPERANDS, reads: ['-F', '--file'] }],
  ...listed('pgrep pkill').map((name): [string, FileHabits] => [
    name,
    { ...NO_OPERANDS, takes: listed('-d -g -G -P -s -t -u -U -r'), reads: ['-F', '--pidfile'] },
  ]),
  ['head', read('-n -c --lines --bytes')],
  ['tail', read('-n -c -s --lines --bytes --pid --sleep-interval --max-unchanged-times')],
  ['less', read('-p -j -x -y -b -h -z -P -t', { reads: ['-k', '-T'], writes: ['-o', '-O', '--log-file'] })],
  ['cut', read('-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter')],
  ['column', read('-s -o -c -N -l -R -H -O -W')],
  [
    'sort',
    read('-k -t -S --key --field-separator --buffer-size --parallel --batch-size --compress-program --sort', {
      reads: ['--files0-from', '--random-source'],
      writes: ['-o', '--output', '-T', '--temporary-directory'],
    }),
  ],
  ['uniq', { operands: 'filter', takes: listed('-f -s -w --skip-fields --skip-chars --check-chars') }],
  ['xxd', { operands: 'filter', takes: listed('-c -g -l -n -o -s -R') }],
  [
    'sed',
    read('-e --expression', {
      reads: ['-f', '--file'],
      glued: ['-i'],
      skipsFirst: true,
      unless: ['-e', '--expression', '-f', '--file'],
      changesWith: ['-i', '--in-place'],
    }),
  ],
  ...listed('awk gawk mawk nawk').map((name): [string, FileHabits] => [
    name,
    read('-F -v -i --field-separator --assign --include', {
      reads: ['-f', '--file'],
      skipsFirst: true,
      unless: ['-f', '--file'],
    }),
  ]),
  ['ls', read('--ignore --hide --block-size', { whole: ['-R', '--recursive'], here: true })],
  ['tree', read('-L -P -I --charset --filelimit --timefmt', { writes: ['-o'], whole: true, here: true })],
  ['du', read('-d -t -B --max-depth --exclude', { reads: ['-X', '--exclude-from'], whole: true, here: true })],
  ['stat', read('-c --format --printf')],
  ['file', read('-F -e -P', { reads: ['-f', '-m', '--files-from', '--magic-file'] })],
  ['readlink', read()],
  ['realpath', read('--relative-to --relative-base')],
  [
    'diff',
    read('-U -C -x -I -W -F -D --label --exclude', {
      reads: ['-X', '--exclude-from', '--from-file', '--to-file'],
      whole: ['-r', '--recursive'],
    }),
  ],
  ['od', read('-A -j -N -t')],
  ['hexdump', read('-e -n -s', { reads: ['-f'] })],
  ['strings', read('-n -t -e -T --bytes --radix --encoding')],
  ['base64', read('-w -b --wrap', { reads: ['-i', '--input'], writes: ['-o', '--output'] })],
  [
    'jq',
    read('--indent --arg --argjson', {
      pairs: ['--arg', '--argjson', '--slurpfile', '--rawfile'],
      reads: ['-f', '--from-file', '-L', '--slurpfile', '--rawfile'],
      skipsFirst: true,
      unless: ['-f', '--from-file'],
    }),
  ],
  ['yq', read('-o -p --indent --arg', { reads: ['--from-file'], skipsFirst: true, changesWith: ['-i', '--inplace'] })],
  ['source', script('', '')],
  ['.', script('', '')],
  ['node', script('-e --eval -p --print', '-C', { reads: ['-r', '--require', '--import', '--env-file'] })],
  ['perl', script('-e -E', '-I', { glued: ['-i', '-M', '-m'] })],
  ['ruby', script('-e', '-I', { reads: ['-r'] })],
  ['tee', { operands: 'write' }],
  ['touch', { operands: 'write', takes: listed('-d -t --date --time'), reads: ['-r', '--reference'] }],
  ['mkdir', { operands: 'write', takes: ['-m', '--mode'] }],
  ['rmdir', { operands: 'write' }],
  ['rm', { operands: 'write', whole: RECURSIVE }],
  ['unlink', { operands: 'write' }],
  ['shred', { operands: 'write', takes: listed('-n -s --iterations --size'), reads: ['--random-source'] }],
  ['truncate', { operands: 'write', takes: ['-s', '--size'], reads: ['-r', '--reference'] }],
  ['mv', { operands: 'move', takes: ['-S', '--suffix'], into: ['-t', '--target-directory'], whole: true }],
  [
    'cp',
    {
      operands: 'copy',
      takes: ['-S', '--suffix'],
      into: ['-t', '--target-directory'],
      keepsPath: ['--parents'],
      whole: COPY_FLAGS,
    },
  ],
  // What is linked can be reached as a whole from then on.
  ['ln', { operands: 'copy', takes: ['-S', '--suffix'], into: ['-t', '--target-directory'], whole: true }],
  [
    'install',
    {
      operands: 'copy',
      takes: listed('-m -o -g -S --mode --owner --group --suffix'),
      into: ['-t', '--target-directory'],
      changesWith: ['-d', '--directory'],
    },
  ],
  [
    'rsync',
    {
      operands: 'copy',
      takes: listed('-e -f -B -M --rsh --filter --exclude --include --port --bwlimit --chmod --chown --rsync-path'),
      reads: ['--files-from', '--exclude-from', '--include-from', '--password-file', '--link-dest', '--copy-dest'],
      writes: ['-T', '--temp-dir', '--log-file', '--backup-dir', '--partial-dir', '--write-batch'],
      flags: ['--backup', '--partial'],
      keepsPath: ['-R', '--relative'],
      whole: ['-r', '--recursive', '-a', '--archive'],
      remote: true,
    },
  ],
  [
    'scp',
    {
      operands: 'copy',
      takes: listed('-P -o -l -c -S -J -D -X'),
      reads: ['-i', '-F'],
      whole: ['-r'],
      remote: true,
    },
  ],
  [
    'ssh',
    {
      operands: 'none',
      takes: listed('-B -b -c -D -e -I -J -L -l -m -O -o -p -Q -R -W -w'),
      reads: ['-i', '-F', '-S'],
      writes: ['-E'],
    },
  ],
  [
    'chmod',
    {
      operands: 'write',
      reads: ['--reference'],
      skipsFirst: /^(?:[0-7]+|[ugoa]*[-+=][-+=rwxXstugoa,]*)$/,
      whole: ['-R', '--recursive'],
    },
  ],
  ['chown', OWNER],
  ['chgrp', OWNER],
  [
    'patch',
    {
      operands: 'change',
      takes: listed('-p -F -D -V -z -B -Y -g --strip --fuzz --suffix --prefix'),
      reads: ['-i', '--input'],
      writes: ['-o', '--output', '-r', '--reject-file', '-d', '--directory'],
      whole: true,
      here: true,
    },
  ],
  ['zip', { operands: 'archive', takes: listed('-x -i -n -P -t -b -s'), whole: RECURSIVE }],
]);

const MESSAGE = '-m --message -C -c --reuse-message --author --date --cleanup --trailer --fixup --squash';

/** Of sub-commands of git; where it looks for a revision first, the word may be a file all the same. */
export const GIT_FILES: ReadonlyMap<string, FileHabits> = new Map<string, FileHabits>([
  ...listed('log diff show blame grep ls-files ls-tree status shortlog check-ignore').map(
    (name): [string, FileHabits] => [
      name,
      read('-S -G -L --since --until --author --grep --format --max-count', {
        reads: ['-O', '-f', '--contents', '--ignore-revs-file'],
        writes: ['--output'],
      }),
    ],
  ),
  ['add', { operands: 'read', takes: ['--chmod'], reads: ['--pathspec-from-file'], whole: true }],
  ['rm', { operands: 'write', reads: ['--pathspec-from-file'], whole: ['-r'] }],
  ['mv', { operands: 'move', whole: true }],
  ['restore', { operands: 'write', takes: listed('-s --source --conflict'), whole: true }],
  ['apply', { operands: 'read', takes: listed('-p -C --directory --exclude --include --whitespace') }],
  ['commit', { operands: 'read', takes: listed(MESSAGE), reads: ['-F', '--file', '-t', '--template'] }],
  ['init', { operands: 'write', takes: listed('-b --initial-branch --object-format'), reads: ['--template'] }],
]);

/** Programs that touch no file that their words name. */
export const NO_FILES: ReadonlySet<string> = new Set(
  listed(`
    echo printf true false : test [ [[ seq expr sleep pwd popd dirs which type command hash whoami id
    groups uname nproc arch tr yes kill exit return break continue set unset export readonly
    local declare typeset let shift alias unalias umask ulimit trap wait jobs fg bg ps uptime free tty basename
    dirname printenv numfmt factor getopts ping
  `),
);
