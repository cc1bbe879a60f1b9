/**
 * The keeper ends what we started when we are no longer there to do it. It is a small shell that waits for the other
 * end of its input to close, which the system does for us however we end, SIGKILL included. It then kills every
 * session it was told of, and every process that carries our mark in its environment with its session, until none is left.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import { messageOf } from '../core/errors.js';
import { atMost } from './pause.js';
import { sealedStdio } from './sealed-descriptors.js';
import { SYSTEM_PATH } from './system-path.js';

/**
 * Lines are `+ PID` for a command that was started, `~ PID TICKS` when it has ended, and `- PID` when nothing is left
 * of it. The number of a command that has ended may meanwhile belong to somebody else; its session is ours as long as
 * somebody is in it who was there before the command ended.
 */
const SCRIPT = `
trap '' HUP INT TERM
mark=$1
folder=$2
leaders=' '
left=' '
while read -r sign pid ticks; do
  case $leaders in *" $pid "*) leaders="\${leaders%% $pid *} \${leaders#* $pid }" ;; esac
  case $left in
    *" $pid:"*)
      rest="\${left#* $pid:}"
      left="\${left%% $pid:*} \${rest#* }"
      ;;
  esac
  case $sign in
    +) leaders="$leaders$pid " ;;
    '~') left="$left$pid:$ticks " ;;
  esac
done

own() {
  case $leaders in *" $1 "*) ;; *) leaders="$leaders$1 " ;; esac
}

find_all() {
  marked=' '
  for file in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do marked="$marked$file "; done
  all=
  for stat in /proc/[0-9]*/stat; do
    line=
    while IFS= read -r part; do line="$line $part"; done <"$stat" || continue
    set -- \${line##*) }
    case $1 in Z | X) continue ;; esac
    pid=\${stat#/proc/}
    pid=\${pid%/stat}
    all="$all $pid/$4"
    case $marked in *" /proc/$pid/environ "*) own "$4" ;; esac
    case $left in
      *" $4:"*)
        since=\${left#* $4:}
        [ "\${20}" -le "\${since%% *}" ] && own "$4"
        ;;
    esac
  done
  found=
  for each in $all; do
    case "$leaders$marked" in
      *" \${each#*/} "* | *" /proc/\${each%/*}/environ "*) found="$found \${each%/*}" ;;
    esac
  done
}

for pid in $leaders; do kill -9 "-$pid"; done
rm -rf "$folder"
[ -d /proc/self ] || exit 0
round=0
while [ $round -lt 100 ]; do
  find_all
  [ -n "$found" ] || exit 0
  kill -9 $found
  round=$((round + 1))
done
`;

/** The longest a sweep may take before we stop waiting for it; it goes on by itself. */
const SWEEP_MS = 5_000;

export interface Keeper {
  started(pid: number): void;
  /** At this time, as the system counts it. */
  ended(pid: number, ticks: number): void;
  forget(pids: readonly number[]): void;
  /** Has everything ended, and resolves when that is done; throws when it could not do it. */
  sweep(): Promise<void>;
  readonly alive: boolean;
}

/** `folder` is removed in the end. Throws when it cannot be started. */
export async function startKeeper(owner: string, folder: string): Promise<Keeper> {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'tenon-keeper', `${owner}:`, folder], {
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    // A session of its own: a Ctrl-C at our terminal is not meant for it.
    detached: true,
    stdio: sealedStdio(['pipe', 'ignore', 'ignore']),
  });
  const gone = new Promise<unknown>((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
  const { pid, stdin } = child;
  if (pid === undefined || stdin === null || stdin === undefined) {
    throw new Error(`what ends left-over processes could not be started: ${messageOf(await gone)}`);
  }
  // It may be killed before us; the next command then gets a new one.
  stdin.on('error', () => {});
  letProgramEnd(child);
  return {
    started: (command) => void stdin.write(`+ ${command}\n`),
    ended: (command, ticks) => void stdin.write(`~ ${command} ${ticks}\n`),
    forget: (commands) => void stdin.write(commands.map((command) => `- ${command}\n`).join('')),
    async sweep() {
      stdin.end();
      child.ref();
      await atMost(SWEEP_MS, gone);
      if (child.exitCode !== 0) throw new Error('it was killed or stopped');
    },
    get alive() {
      return child.exitCode === null && child.signalCode === null;
    },
  };
}

/** Whoever forgets to close a runtime must not wait for its keeper for ever. */
function letProgramEnd(child: ChildProcess): void {
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
}
