/**
 * The keeper ends what we started when we are no longer there to do it. It is a small shell that waits for the other
 * end of its input to close, which the system does for us however we end, SIGKILL included. It then kills every
 * session it was told of, and every process that carries our mark in its environment, until none is left.
 */
import type { ChildProcess } from 'node:child_process';

/**
 * Lines are `+ PID` for a command that was started, `~ PID` when it has ended and left something running, and `- PID`
 * when nothing is left of it. The number of a command that has ended may meanwhile belong to somebody else; then a
 * process of that number exists, and its session is not ours.
 */
const SCRIPT = `
trap '' HUP INT TERM
mark=$1
leaders=' '
left=' '
while read -r sign pid; do
  case $leaders in *" $pid "*) leaders="\${leaders%% $pid *} \${leaders#* $pid }" ;; esac
  case $left in *" $pid "*) left="\${left%% $pid *} \${left#* $pid }" ;; esac
  case $sign in
    +) leaders="$leaders$pid " ;;
    '~') left="$left$pid " ;;
  esac
done
for pid in $left; do [ -d "/proc/$pid" ] || leaders="$leaders$pid "; done

find_all() {
  for stat in /proc/[0-9]*/stat; do
    line=
    while IFS= read -r part; do line="$line $part"; done <"$stat" || continue
    set -- \${line##*) }
    case $1 in Z | X) continue ;; esac
    case $leaders in *" $4 "*) stat=\${stat#/proc/}; echo "\${stat%/stat}" ;; esac
  done
  for file in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    echo "\${file%/environ}"
  done
}

for pid in $leaders; do kill -9 "-$pid"; done
[ -d /proc/self ] || exit
round=0
while [ $round -lt 100 ]; do
  found=$(find_all)
  [ -n "$found" ] || exit
  kill -9 $found
  round=$((round + 1))
done
`;

/** The longest a sweep may take before we stop waiting for it; it goes on by itself. */
const SWEEP_MS = 5_000;

export interface Keeper {
  readonly started: (pid: number) => void;
  readonly leftBehind: (pid: number) => void;
  readonly ended: (pid: number) => void;
  /** Has everything ended, and resolves when that is done. */
  sweep(): Promise<void>;
  readonly alive: boolean;
}

export async function startKeeper(owner: string): Promise<Keeper> {
  const { spawn } = await import('node:child_process');
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'tenon-keeper', `${owner}:`], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    // A session of its own: a Ctrl-C at our terminal is not meant for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  // It may be killed before us; the next command then gets a new one.
  child.stdin.on('error', () => {});
  letProcessEnd(child);
  return {
    started: (pid) => void child.stdin.write(`+ ${pid}\n`),
    leftBehind: (pid) => void child.stdin.write(`~ ${pid}\n`),
    ended: (pid) => void child.stdin.write(`- ${pid}\n`),
    async sweep() {
      child.stdin.end();
      child.ref();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, SWEEP_MS);
      });
      await Promise.race([gone, late]);
      clearTimeout(timer);
    },
    get alive() {
      return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    },
  };
}

/** Whoever forgets to close a runtime must not wait for its keeper for ever. */
function letProcessEnd(child: ChildProcess): void {
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
}
