/** What the user's profile leaves behind in a login shell, found by asking one, and a plain one to compare it with. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

import type { Claim } from './ledger.js';
import { sealedStdio } from './sealed-descriptors.js';

export type Environment = Readonly<Record<string, string>>;

/** What a login shell is like before it runs a script. */
export type Profile = {
  readonly variables: Environment;
  /** As bash writes them. */
  readonly functions: string;
  /** False when there is more to it, such as options, which only a real login shell has. */
  readonly isAll: boolean;
};

/** Says, apart from anything a profile prints, what a shell is like before it runs a script. */
const REPORT = `
files=(/proc/$$/fd/*)
{ printf '%s\\0' "$SHELLOPTS" "$(shopt -p | command grep -v login_shell)" "$(umask)" "$(trap)" "$(ulimit -a)" \\
    "$PWD" "\${OLDPWD-}" "$IFS" "$#" "\${files[*]##*/}" "$(compgen -v)" "$(compgen -e)" "$(declare -f)"
  command env -0
  printf '%s\\0' "$TENON_REPORT_END"; } >&3
`;
const FACTS = 10;
const END = { TENON_REPORT_END: 'tenon: that was all' };

/** Longest time a profile may take, and how long its report may be on its way once its shell has ended. */
const PROFILE_MS = 5_000;
const DRAIN_MS = 250;
/** The largest environment that can be handed on. */
const MOST_BYTES = 512 * 1024;
const MOST_VARIABLE_BYTES = 120 * 1024;

/** Undefined when the shell ended, hung or said too much before it could tell. */
export async function readProfile(
  file: string,
  env: Environment,
  claim: () => Promise<Claim>,
): Promise<Profile | undefined> {
  const owner = await claim();
  const [plain, login] = await Promise.all([
    report([file, '-c', REPORT], env, owner),
    report([file, '-lc', REPORT], env, owner),
  ]);
  if (plain === undefined || login === undefined) {
    // What hangs would hang for ever.
    await owner.end();
    return undefined;
  }
  const functions = login[FACTS + 2] ?? '';
  const variables = login.slice(FACTS + 3).filter((each) => each !== '');
  const fits = [functions, ...variables].every((each) => Buffer.byteLength(each) <= MOST_VARIABLE_BYTES);
  return {
    variables: withoutShellState(variables, env),
    functions: functions === plain[FACTS + 2] ? '' : functions,
    isAll: fits && !hasMoreThanEnvironment(plain, login),
  };
}

/** Whether the profile has left something behind that no environment says. */
function hasMoreThanEnvironment(plain: Report, login: Report): boolean {
  const usual = new Set([...ownVariables(plain), ...SHELL_VARIABLES]);
  return (
    plain.slice(0, FACTS).join('\0') !== login.slice(0, FACTS).join('\0') ||
    ownVariables(login).some((name) => !usual.has(name))
  );
}

type Report = readonly string[];

/** Those a shell does not export. */
function ownVariables(parts: Report): readonly string[] {
  const exported = new Set(parts[FACTS + 1]?.split('\n'));
  return (parts[FACTS] ?? '').split('\n').filter((name) => !exported.has(name));
}

/** What bash itself sets on the way, and what only a shell at a terminal uses. */
const SHELL_VARIABLES =
  '_ BASH_REMATCH COPROC MAPFILE OPTARG PIPESTATUS REPLY HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT MAILCHECK PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS4'.split(
    ' ',
  );

/** A shell counts and names these by itself. */
const SHELL_STATE = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL', 'TENON_OWNER', ...Object.keys(END)]);

function withoutShellState(variables: readonly string[], env: Environment): Environment {
  const entries = variables.map((each): [string, string] => {
    const split = each.indexOf('=');
    return [each.slice(0, split), each.slice(split + 1)];
  });
  const kept = entries.filter(([name]) => !SHELL_STATE.has(name));
  const { SHLVL } = env;
  return Object.fromEntries(SHLVL === undefined ? kept : [...kept, ['SHLVL', SHLVL]]);
}

/** The parts of the report, or nothing when the shell failed, took too long or said too much. */
async function report(argv: readonly string[], env: Environment, owner: Claim): Promise<Report | undefined> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, {
    cwd: '/',
    env: { ...env, ...owner.env, ...END },
    detached: true,
    stdio: sealedStdio(['ignore', 'ignore', 'ignore', 'pipe']),
  });
  const timers: NodeJS.Timeout[] = [];
  const failed = new Promise<undefined>((resolve) => {
    const giveUpAfter = (ms: number): void => void timers.push(setTimeout(resolve, ms, undefined));
    giveUpAfter(PROFILE_MS);
    child.once('error', () => resolve(undefined));
    child.once('exit', () => giveUpAfter(DRAIN_MS));
  });
  const pipe = child.stdio[3] as Readable | undefined;
  const parts = await Promise.race([failed, ...(pipe ? [readReport(pipe)] : [])]);
  for (const timer of timers) clearTimeout(timer);
  pipe?.destroy();
  return parts;
}

/** Ends with the report, not with the pipe, which a program started by the profile may hold. */
async function readReport(pipe: Readable): Promise<Report | undefined> {
  const end = Buffer.from(`\0${END.TENON_REPORT_END}\0`);
  let text: Buffer = Buffer.alloc(0);
  for await (const chunk of pipe) {
    text = Buffer.concat([text, chunk as Buffer]);
    if (text.length > MOST_BYTES) return undefined;
    if (text.subarray(-end.length).equals(end)) return text.subarray(0, -end.length).toString().split('\0');
  }
  return undefined;
}
