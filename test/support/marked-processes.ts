/** Processes of the machine that a test can tell from all others, also from the outside of their namespace. */
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { onTestFinished } from 'vitest';

import { until } from './until.js';

/** A script that starts programs which try to outlive it, and how many they are. Their first argument begins with `mark`. */
export type Forest = { readonly mark: string; readonly script: string; readonly count: number };

export function forest(): Forest {
  const mark = `marked-${randomBytes(6).toString('hex')}`;
  const sleeper = (name: string): string => `exec -a ${mark}-${name} sleep 600`;
  const lines = [
    "trap '' TERM HUP INT",
    `(${sleeper('child')}) &`,
    `setsid bash -c '${sleeper('session')}' &`,
    `(setsid bash -c '(${sleeper('orphan')}) &' &)`,
    `nohup setsid bash -c '${sleeper('nohup')}' > /dev/null 2>&1 < /dev/null &`,
    `env -i setsid /bin/bash -c '${sleeper('bare')}' &`,
    `(env -i setsid /bin/bash -c '(setsid env -i /bin/bash -c "${sleeper('bare-orphan')}" &)' > /dev/null 2>&1 &)`,
  ];
  onTestFinished(() => endMarked(mark));
  return { mark, script: `${lines.join('\n')}\n`, count: lines.length - 1 };
}

/** Resolves when all of them run. */
export async function grown({ mark, count }: Forest): Promise<void> {
  await until(() => marked(mark).length >= count);
}

/** Resolves when none runs; a test that waits for one that lives on runs into its own time limit. */
export async function felled({ mark }: Forest): Promise<void> {
  await until(() => marked(mark).length === 0);
}

export function marked(mark: string): readonly string[] {
  return pidsOf(mark).map((pid) => firstArgument(pid));
}

/** Of those that run with a first argument that begins so. */
function pidsOf(mark: string): readonly number[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => firstArgument(pid).startsWith(mark));
}

/** For what a failed test has left. */
export function endMarked(mark: string): void {
  for (const pid of pidsOf(mark)) process.kill(pid, 'SIGKILL');
}

/** Of a zombie it is empty. */
function firstArgument(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0', 1)[0] ?? '';
  } catch {
    return '';
  }
}
