/**
 * The program that runs as the first process of a container: it reads requests, a line each, and tells what becomes of
 * commands. For each slot it keeps a shell waiting that will turn into the command, in a session of its own, and a
 * second one that waits for its end. When the requests end, it ends, and the system ends everything with it.
 *
 * Requests: `start SLOT`, `signal NAME LEADER`, `check SLOT LEADER`, `end SLOT LEADER MARK`. What it says is in `agent-status.ts`.
 */
import type { Limits } from '../policy.js';
import { SWEEP } from './sweep-program.js';

/** Where the runtime's folder is found inside. */
export const AGENT_FOLDER = '/.tenon';
export const STATUS_PIPE = 'status';

export type AgentFile = 'agent' | 'waiter' | 'runner' | 'terminal';

/** All files of the agent, by their names in its folder. The container sees them read-only. */
export function agentFiles(limits: Limits, folder: string = AGENT_FOLDER): Readonly<Record<AgentFile, string>> {
  const pipes = `${folder}/$1`;
  const rest = becomeCommand(limits);
  return {
    agent: agent(folder),
    waiter: waiter(folder),
    runner: `exec 8<${pipes}.in </dev/null >${pipes}.out 2>${pipes}.err\n${rest}`,
    // The same, but its input and output are the terminal that the engine brings.
    terminal: `exec 9>${folder}/${STATUS_PIPE} 8<${pipes}.terminal || exit\n${rest}`,
  };
}

/** The command line of one of them. */
export function agentCommand(file: AgentFile, folder: string = AGENT_FOLDER): readonly string[] {
  return ['/bin/sh', `${folder}/${file}`];
}

/** What the agent itself runs is of the host, and in these. */
const AGENT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The same for the engine to run, which has variables of its own to give. */
export function enteringCommand(file: AgentFile): readonly string[] {
  return ['/usr/bin/env', '-i', `PATH=${AGENT_PATH}`, ...agentCommand(file)];
}

/** `setsid -f` starts a process without the shell's help: what a shell puts into the background ignores Ctrl-C. */
function agent(folder: string): string {
  return `exec 9>${folder}/${STATUS_PIPE} || exit
said=$(setsid -fw true 2>&1) && [ -z "$said" ] || {
  echo 'the setsid of this system knows no -f and -w; util-linux has had them since 2.32' >&2
  exit 1
}
${SWEEP}
echo '0 up' >&9
while IFS= read -r line; do
  rest=\${line#* }
  case $line in
    'start '*) setsid -f ${agentCommand('waiter', folder).join(' ')} "$rest" </dev/null >/dev/null 2>&1 ;;
    'signal '*) kill -s "\${rest%% *}" -- "-\${rest#* }" 2>/dev/null ;;
    'check '*) check $rest </dev/null >/dev/null 2>&1 & ;;
    'end '*) sweep "$rest" </dev/null >/dev/null 2>&1 & ;;
  esac
done
`;
}

/** A code of 137 may be an exit or a signal; `setsid -w` has something to say only when it was a signal. */
function waiter(folder: string): string {
  return `said=$(setsid -fw ${agentCommand('runner', folder).join(' ')} "$1" 2>&1)
code=$?
if [ -n "$said" ]; then echo "$1 killed $((code & 127))"; else echo "$1 exited $code"; fi >&9
`;
}

/**
 * Waits for the script of the command. The two functions are for the script to call. The pipe is not opened again, as
 * `.` would do: by then the other side may have written all and gone, and whoever opens it waits for ever.
 */
function becomeCommand(limits: Limits): string {
  return `slot=$1
refuse() { echo "$slot refused $1" >&9; exit 125; }
findable() {
  case $1 in */*) [ -f "$1" ] && [ -x "$1" ]; return ;; esac
  set -f
  IFS=:
  for folder in $2; do [ -f "\${folder:-.}/$1" ] && [ -x "\${folder:-.}/$1" ] && return; done
  return 1
}
${rlimits(limits)} || refuse limits
echo "$slot ready $$" >&9
script=$(exec cat <&8 9>&-)
eval "$script"
`;
}

/** Those of single processes are not set for the container: the agent lives long and would run into them. */
function rlimits({ cpuSeconds, fileBytes }: Limits): string {
  const cpu = cpuSeconds === undefined ? [] : [`ulimit -t ${Math.ceil(cpuSeconds)}`];
  const file = fileBytes === undefined ? [] : [`ulimit -f ${Math.ceil(fileBytes / 512)}`];
  return ['ulimit -c 0', ...cpu, ...file].join(' && ');
}
