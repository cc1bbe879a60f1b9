/** What the user's profile leaves behind in a login shell, found by asking one, and a plain one to compare it with. */
import type { Readable } from 'node:stream';

import { absolutePath } from '../core/paths.js';
import type { Command } from '../core/workspace.js';
import type { Claim } from './ledger.js';
import type { ReadProgram, SpawnToRead } from './spawn-to-read.js';

export type Environment = Readonly<Record<string, string>>;

/** What a login shell is like before it runs a script. */
export type Profile = {
  readonly variables: Environment;
  /** As bash writes them. */
  readonly functions: string;
  /** False when there is more to it, such as options, which only a real login shell has. */
  readonly isAll: boolean;
};

/** Says, after anything a profile prints, what a shell is like before it runs a script. Only the last answer needs a process. */
const REPORT = `
files=(/proc/$$/fd/*)
{ printf '%s\\0' "$TENON_REPORT_BEGIN" "$SHELLOPTS" "$PWD" "\${OLDPWD-}" "$IFS" "$#" "\${files[*]##*/}"
  shopt -p; printf '\\0'; umask; printf '\\0'; trap; printf '\\0'; ulimit -a; printf '\\0'
  compgen -v; printf '\\0'; compgen -e; printf '\\0'; declare -f; printf '\\0'
  command -p env -0
  printf '%s\\0' "$TENON_REPORT_END"; }
`;
const FACTS = 10;
/** What every login shell has, and no other. */
const LOGIN_OPTION = /^shopt -[su] login_shell$/m;
const MARKS = { TENON_REPORT_BEGIN: '\u0001tenon: what follows\u0001', TENON_REPORT_END: '\u0001tenon: was all\u0001' };

/** Longest time a profile may take, and how long its report may be on its way once its shell has ended. */
const PROFILE_MS = 5_000;
const DRAIN_MS = 250;
/** The largest environment that can be handed on. */
const MOST_BYTES = 512 * 1024;
const MOST_VARIABLE_BYTES = 120 * 1024;

export type ProfileReading = {
  readonly claim: () => Promise<Claim>;
  readonly spawn: SpawnToRead;
  /** What confines the command confines its profile. */
  readonly through?: Command['through'] | undefined;
};

const ROOT = absolutePath('/');

/** Undefined when the shell ended, hung or said too much before it could tell. */
export async function readProfile(
  file: string,
  env: Environment,
  { claim, spawn, through }: ProfileReading,
): Promise<Profile | undefined> {
  const owner = await claim();
  const ask = async (argv: readonly string[]): Promise<Report | undefined> => {
    const program = { argv, cwd: ROOT, env: { ...env, ...owner.env, ...MARKS } };
    const launch = (await through?.(program)) ?? { ...program, descriptors: [] };
    const started = await spawn({ ...launch, env: { ...launch.env, ...owner.env } });
    return started && report(started);
  };
  const [plain, login] = await Promise.all([ask([file, '-c', REPORT]), ask([file, '-lc', REPORT])]);
  if (plain === undefined || login === undefined) {
    // What hangs would hang for ever.
    await owner.end();
    return undefined;
  }
  const functions = login[FACTS + 2] ?? '';
  const given = new Set(plain.slice(FACTS + 3));
  // What a launcher has put into both is not the profile's doing.
  const isLaunchers = (each: string): boolean => given.has(each) && !Object.hasOwn(env, each.split('=', 1)[0] ?? '');
  const variables = login.slice(FACTS + 3).filter((each) => each !== '' && !isLaunchers(each));
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
  return factsIn(plain) !== factsIn(login) || ownVariables(login).some((name) => !usual.has(name));
}

type Report = readonly string[];

function factsIn(parts: Report): string {
  return parts.slice(0, FACTS).join('\0').replace(LOGIN_OPTION, '');
}

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
const SHELL_STATE = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL', 'TENON_OWNER', ...Object.keys(MARKS)]);

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
async function report({ output, exit }: ReadProgram): Promise<Report | undefined> {
  const timers: NodeJS.Timeout[] = [];
  const failed = new Promise<undefined>((resolve) => {
    const giveUpAfter = (ms: number): void => void timers.push(setTimeout(resolve, ms, undefined));
    giveUpAfter(PROFILE_MS);
    void exit.then(() => giveUpAfter(DRAIN_MS));
  });
  const parts = await Promise.race([failed, readReport(output)]);
  for (const timer of timers) clearTimeout(timer);
  output.destroy();
  return parts;
}

/** Ends with the report, not with the pipe, which a program started by the profile may hold. */
async function readReport(pipe: Readable): Promise<Report | undefined> {
  const [begin, end] = [`${MARKS.TENON_REPORT_BEGIN}\0`, `\0${MARKS.TENON_REPORT_END}\0`].map((mark) =>
    Buffer.from(mark),
  );
  let text: Buffer = Buffer.alloc(0);
  for await (const chunk of pipe) {
    text = Buffer.concat([text, chunk as Buffer]);
    if (text.length > MOST_BYTES) return undefined;
    const from = text.indexOf(begin ?? '');
    const to = from === -1 ? -1 : text.indexOf(end ?? '', from);
    if (to !== -1)
      return text
        .subarray(from + (begin?.length ?? 0), to)
        .toString()
        .split('\0');
  }
  return undefined;
}
