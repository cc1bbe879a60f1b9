/** Which shell runs a script, and how it is told to. Pure: whoever asks brings what is known of the machine. */
import path from 'node:path';

import { systemProgram } from './system-program.js';

export type ShellKind = 'bash' | 'zsh' | 'sh' | 'powershell' | 'cmd';

export type ShellScript = { readonly kind: ShellKind; readonly script: string; readonly login: boolean };

export type ShellSearch = {
  readonly platform: NodeJS.Platform;
  /** From the account database, not from `$SHELL`, which any parent process may have changed. */
  readonly accountShell: string | undefined;
  readonly isExecutable: (file: string) => boolean;
  /** The folders of `PATH`. */
  readonly path: readonly string[];
};

const KINDS: ReadonlyMap<string, ShellKind> = new Map([
  ['bash', 'bash'],
  ['zsh', 'zsh'],
  ['sh', 'sh'],
  ['dash', 'sh'],
  ['ash', 'sh'],
  ['ksh', 'sh'],
  ['mksh', 'sh'],
  ['pwsh', 'powershell'],
  ['powershell', 'powershell'],
  ['cmd', 'cmd'],
]);

type Flags = readonly string[];

/** What stands between a shell and its script. The first spelling is the one we write, the others are understood. */
type Spellings = {
  readonly plain: readonly [Flags, ...Flags[]];
  readonly login: readonly [Flags, ...Flags[]];
  readonly anyCase?: true;
};

const POSIX: Spellings = { plain: [['-c']], login: [['-lc'], ['-l', '-c']] };

const SPELLINGS: Readonly<Record<ShellKind, Spellings>> = {
  bash: POSIX,
  zsh: POSIX,
  sh: POSIX,
  powershell: { plain: [['-NoProfile', '-Command']], login: [['-Command']], anyCase: true },
  cmd: { plain: [['/c']], login: [['/c']], anyCase: true },
};

type Habits = {
  readonly preferred: readonly string[];
  readonly lastResort: string;
  /** Looked at after `PATH`, which may be empty or cut down. */
  readonly folders: readonly string[];
};

const POSIX_FOLDERS = ['/bin', '/usr/bin', '/usr/local/bin'];

const LINUX: Habits = { preferred: ['bash', 'zsh', 'sh'], lastResort: '/bin/sh', folders: POSIX_FOLDERS };

const MACOS: Habits = {
  preferred: ['zsh', 'bash', 'sh'],
  lastResort: '/bin/sh',
  folders: [...POSIX_FOLDERS, '/opt/homebrew/bin'],
};

const WINDOWS: Habits = {
  preferred: ['pwsh', 'powershell', 'cmd'],
  lastResort: 'cmd.exe',
  // Git before the system folder, whose bash.exe is the door to another system.
  folders: [
    String.raw`C:\Program Files\PowerShell\7`,
    String.raw`C:\Windows\System32\WindowsPowerShell\v1.0`,
    String.raw`C:\Program Files\Git\bin`,
    String.raw`C:\Windows\System32`,
  ],
};

/** Undefined for what is no shell, or one whose command line we cannot write, such as fish. */
export function shellKind(file: string): ShellKind | undefined {
  return KINDS.get(stemOf(file));
}

export function shellArgv(file: string, kind: ShellKind, script: string, login: boolean): readonly string[] {
  const { plain, login: asLogin } = SPELLINGS[kind];
  return [file, ...(login ? asLogin : plain)[0], script];
}

/** A shell where the system keeps it, or a bare name that is looked for there: not a file somebody called like one. */
export function isSystemShell(file: string): boolean {
  return SYSTEM_SHELLS.has(systemProgram(file));
}

const SYSTEM_SHELLS: ReadonlySet<string | undefined> = new Set('bash zsh sh dash ash ksh mksh'.split(' '));

/** The script, if the command line is a shell with one script and nothing else. */
export function scriptOf(argv: readonly string[]): ShellScript | undefined {
  const [file, ...flags] = argv;
  const script = flags.pop();
  const kind = file === undefined ? undefined : shellKind(file);
  if (kind === undefined || script === undefined) return undefined;
  const { plain, login, anyCase = false } = SPELLINGS[kind];
  const isGiven = (spelling: Flags) => sameFlags(spelling, flags, anyCase);
  if (plain.some(isGiven)) return { kind, script, login: false };
  return login.some(isGiven) ? { kind, script, login: true } : undefined;
}

/** The shell of the user's account if we can write its command line, else what the platform has. */
export function userShell(search: ShellSearch): string {
  const { preferred, lastResort } = habitsOf(search.platform);
  return usableAccountShell(search) ?? firstFound(preferred, search) ?? lastResort;
}

/** A shell asked for by name or by absolute path, as another one would mean a file of whoever asks. */
export function findShell(wanted: string, search: ShellSearch): string | undefined {
  if (shellKind(wanted) === undefined) return undefined;
  if (isPath(wanted)) return isAbsolute(wanted, search) && search.isExecutable(wanted) ? wanted : undefined;
  const account = usableAccountShell(search);
  return account !== undefined && stemOf(account) === stemOf(wanted) ? account : findByName(wanted, search);
}

/** The file's name alone. Windows rules hold for both kinds of path, and case means nothing there. */
function stemOf(file: string): string {
  return path.win32
    .basename(file)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

function isAbsolute(file: string, { platform }: ShellSearch): boolean {
  return pathsOf(platform).isAbsolute(file);
}

function isPath(wanted: string): boolean {
  return path.win32.basename(wanted) !== wanted;
}

function sameFlags(known: Flags, given: Flags, anyCase: boolean): boolean {
  const spelled = (flag: string | undefined) => (anyCase ? flag?.toLowerCase() : flag);
  return known.length === given.length && known.every((flag, index) => spelled(flag) === spelled(given[index]));
}

function habitsOf(platform: NodeJS.Platform): Habits {
  if (platform === 'win32') return WINDOWS;
  return platform === 'darwin' ? MACOS : LINUX;
}

function usableAccountShell({ platform, accountShell, isExecutable }: ShellSearch): string | undefined {
  if (accountShell === undefined || shellKind(accountShell) === undefined) return undefined;
  return pathsOf(platform).isAbsolute(accountShell) && isExecutable(accountShell) ? accountShell : undefined;
}

function firstFound(names: readonly string[], search: ShellSearch): string | undefined {
  return names.map((name) => findByName(name, search)).find((file) => file !== undefined);
}

/** A relative folder in `PATH` is passed over: it would let the workspace bring its own shell. */
function findByName(name: string, { platform, path: folders, isExecutable }: ShellSearch): string | undefined {
  const paths = pathsOf(platform);
  const file = platform === 'win32' ? `${stemOf(name)}.exe` : name;
  return [...folders.filter((folder) => paths.isAbsolute(folder)), ...habitsOf(platform).folders]
    .map((folder) => paths.join(folder, file))
    .find((candidate) => isExecutable(candidate));
}

function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}
