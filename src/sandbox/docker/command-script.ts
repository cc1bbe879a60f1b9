/**
 * The script that makes a waiting shell into a command. Values of variables stay out of argument lists, which everybody
 * on the machine can read, except for names that a shell cannot export.
 */
import { shellQuote } from './shell-quote.js';

export type ScriptedCommand = {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** All that it gets. */
  readonly env: Readonly<Record<string, string>>;
};

/** Where a program is looked for when no PATH says it; what the C library does. */
const NO_PATH = '/bin:/usr/bin';

/** The system takes no argument that is longer, its end included. */
const LONGEST_ARGUMENT = 131_072;

/** Shells give these a value of their own on the way. */
const OWN_VARIABLES = ['_', 'SHLVL', 'PWD', 'OLDPWD'];
/** And these a meaning, so they cannot be set to just anything. */
const SPECIAL = new Set([...OWN_VARIABLES, 'EUID', 'GROUPS', 'LINENO', 'OPTIND', 'PPID', 'SHELLOPTS', 'UID']);

/** A whole command in braces is read before any of it is run, so no variable changes how the rest is read. */
export function commandScript(command: ScriptedCommand): string {
  const { argv, cwd, env } = command;
  const [program = ''] = argv;
  const entries = Object.entries(env);
  const exported = entries.filter(([name]) => isExportable(name));
  const passed = entries.filter(([name]) => !isExportable(name)).map(assignment);
  const cleared = [...OWN_VARIABLES, 'PATH'].filter((name) => !exported.some(([given]) => given === name));
  return [
    '{',
    `cd -P -- ${shellQuote(cwd)} 2>/dev/null || refuse folder`,
    `findable ${shellQuote(program)} ${shellQuote(env['PATH'] ?? NO_PATH)} || refuse program`,
    // A shell has its own opinion on locales, and would say so in place of the command.
    '{ :',
    ...exported.map((entry) => `export ${shellQuote(assignment(entry))}`),
    '} 2>/dev/null',
    'exec 8<&- 9>&-',
    `exec ${['/usr/bin/env', ...cleared.flatMap((name) => ['-u', name]), '--', ...passed, ...started(argv)].map(shellQuote).join(' ')}`,
    '}\n',
  ].join('\n');
}

/** Why a command cannot even be written down. */
export function commandProblem({ argv, cwd, env }: ScriptedCommand): string | undefined {
  const names = Object.keys(env);
  const words = [...argv, cwd, ...Object.entries(env).map(assignment)];
  if (argv[0] === undefined || argv[0] === '') return 'the command names no program';
  if (words.some((word) => word.includes('\0'))) return 'the command contains a NUL character';
  if (names.some((name) => name === '' || name.includes('='))) return 'a variable has no name, or one with a "="';
  if (words.some((word) => Buffer.byteLength(word) >= LONGEST_ARGUMENT)) {
    return 'the command is too long for the system; put the text into a file';
  }
  return undefined;
}

/** What a word of the agent for a refusal means. */
export function refusalText(reason: string, { argv, cwd }: ScriptedCommand): string {
  if (reason === 'folder') return `the working directory ${cwd} does not exist in the container, or may not be entered`;
  if (reason === 'program') return `there is no program ${argv[0] ?? ''} in the container`;
  return 'the limits of the policy could not be set';
}

function isExportable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !SPECIAL.has(name) && !name.startsWith('BASH');
}

function assignment([name, value]: readonly [string, string]): string {
  return `${name}=${value}`;
}

/** `env` would take a program with a "=" in its name for a variable. */
function started(argv: readonly string[]): readonly string[] {
  return argv[0]?.includes('=') ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...argv] : argv;
}
