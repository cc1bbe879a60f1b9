/** Programs whose arguments are another command, as data: how to find where that one begins. */

export type Wrapper = {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with one, glued to it or in the next word. */
  readonly valued?: string;
  readonly longFlags?: readonly string[];
  /** Long options with a value, after `=` or in the next word. */
  readonly longValued?: readonly string[];
  /** Words between the options and the command, such as the time of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` words before the command set variables for it. */
  readonly assigns?: boolean;
  /** Whether the command runs as it would without the wrapper. */
  readonly plainly: boolean;
  /** Options that start the command in another folder. */
  readonly moves?: readonly string[];
  /** Options that take variables away from the command. */
  readonly clears?: readonly string[];
  /** Options that start a shell when there is no command. */
  readonly startsShell?: readonly string[];
};

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    'env',
    {
      flags: 'i0v',
      valued: 'uC',
      longFlags: ['ignore-environment', 'null', 'debug'],
      longValued: ['unset', 'chdir'],
      assigns: true,
      plainly: true,
      moves: ['-C', '--chdir'],
      clears: ['-i', '-u', '--ignore-environment', '--unset'],
    },
  ],
  ['command', { flags: 'p', plainly: true }],
  ['builtin', { plainly: true }],
  // Not `-a`, which gives a program another name: some do other things then.
  ['exec', { flags: 'cl', plainly: true }],
  ['nice', { valued: 'n', longValued: ['adjustment'], plainly: true }],
  [
    'timeout',
    {
      flags: 'fpv',
      valued: 'ks',
      longFlags: ['foreground', 'preserve-status', 'verbose'],
      longValued: ['kill-after', 'signal'],
      operands: 1,
      plainly: true,
    },
  ],
  ['stdbuf', { valued: 'ioe', longValued: ['input', 'output', 'error'], plainly: true }],
  ['ionice', { flags: 't', valued: 'cn', longFlags: ['ignore'], longValued: ['class', 'classdata'], plainly: true }],
  ['setsid', { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'], plainly: true }],
  // Writes a file when it stands in a terminal.
  ['nohup', { plainly: false }],
  [
    'sudo',
    {
      flags: 'AbBEHiKklnPSsv',
      valued: 'aCcDghpRrTtUu',
      longFlags: 'askpass background preserve-env set-home login non-interactive stdin shell'.split(' '),
      longValued: 'user group chdir chroot host prompt role type close-from'.split(' '),
      assigns: true,
      plainly: false,
      moves: ['-D', '-R', '-i', '--chdir', '--chroot', '--login'],
      startsShell: ['-s', '-i', '--shell', '--login'],
    },
  ],
  ['doas', { flags: 'Lns', valued: 'aCu', plainly: false, startsShell: ['-s'] }],
  ['busybox', { plainly: false }],
  ['noglob', { plainly: false }],
  ['nocorrect', { plainly: false }],
  ['repeat', { operands: 1, plainly: false }],
]);

/** Programs that give their words, or their input, to a shell. */
export const SHELL_STARTERS: ReadonlySet<string> = new Set(
  (
    'at batch chroot cmd csh elvish entr expect fakeroot firejail fish flock newgrp nsenter nu parallel pkexec powershell ' +
    'proot pwsh rbash runuser schroot screen script setarch sg ssh sshpass su tcsh tmux unshare watch xonsh'
  ).split(' '),
);

const ALWAYS_CARRYING: ReadonlySet<string> = new Set([
  ...SHELL_STARTERS,
  ...(
    'bunx bwrap caffeinate catchsegv chpst chrt cpulimit cross-env dotenv faketime gdb ltrace npx numactl pipx prlimit ' +
    'proxychains rlwrap runcon setpriv start-stop-daemon strace systemd-run taskset time tini torify torsocks toybox ' +
    'unbuffer uvx valgrind'
  ).split(' '),
]);

/** Programs that do so under some of their sub-commands. */
const CARRYING_WITH: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    bundle: 'exec',
    direnv: 'exec',
    docker: 'exec run',
    git: 'bisect foreach rebase',
    kubectl: 'debug exec run',
    nerdctl: 'exec run',
    npm: 'exec x',
    perf: 'record stat trace',
    pipenv: 'run',
    pnpm: 'dlx exec',
    podman: 'exec run',
    poetry: 'run',
    uv: 'run',
    yarn: 'dlx exec',
  }).map(([name, words]) => [name, new Set(words.split(' '))]),
);

/** Whether a program runs a command among its words, wherever exactly that begins. */
export function isCarrier(name: string, args: readonly unknown[]): boolean {
  if (ALWAYS_CARRYING.has(name) || /^ld(?:-linux.*)?\.so/.test(name)) return true;
  const words = CARRYING_WITH.get(name);
  return words !== undefined && args.some((arg) => typeof arg === 'string' && words.has(arg));
}

/** Interpreters that take their program from standard input when they are given none. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  'python python2 python3 node nodejs deno bun perl ruby php lua tclsh osascript'.split(' '),
);
