/**
 * Starts a program in its own process group, with pipes for its output. However it ends, `exit` resolves with data,
 * and never waits for a pipe that a forgotten child holds open.
 */
import type { ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

import { ToolFailure, messageOf } from '../core/errors.js';
import type { OutputStream } from '../core/output.js';
import type { ProcessExit } from '../core/workspace.js';
import { folderProblem } from './folder-problem.js';
import { DRAIN_AFTER_KILL_MS, signalGroup } from './launch.js';
import type { PipeLaunch } from './launch.js';

/** After a normal end, only a child left in the background still holds a pipe. */
const DRAIN_AFTER_EXIT_MS = 100;

export type Started = {
  readonly pid: number | undefined;
  readonly exit: Promise<ProcessExit>;
  readonly write?: (bytes: Uint8Array) => Promise<void>;
  /** Kills the group. */
  kill(): void;
};

/** Node's own; loaded by whoever starts the first command, because most runs of the program start none. */
export type Spawn = typeof spawn;

export function spawnWithPipes(launch: PipeLaunch, spawnChild: Spawn): Started {
  const [file = '', ...args] = launch.argv;
  const input = launch.input === 'open' ? 'pipe' : 'ignore';
  try {
    const { cwd, env } = launch;
    const child = spawnChild(file, args, { cwd, env, detached: true, stdio: [input, 'pipe', 'pipe'] });
    return follow(child, launch);
  } catch (error) {
    return { pid: undefined, exit: whyNot(error, launch), kill: () => {} };
  }
}

export function notStarted(reason: string): Started {
  return { pid: undefined, exit: Promise.resolve({ kind: 'not_started', reason }), kill: () => {} };
}

function follow(child: ChildProcess, launch: PipeLaunch): Started {
  let killed = false;
  let failure: ProcessExit | undefined;
  const kill = (): void => {
    killed = true;
    signalGroup(child.pid, 'SIGKILL');
  };
  forwardOutput(child, launch, (reason) => {
    failure ??= { kind: 'not_started', reason };
    kill();
  });
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once('error', (error) => resolve(whyNot(error, launch)));
    child.once('exit', (code, signal) => {
      const drain = closePipesAfter(killed ? DRAIN_AFTER_KILL_MS : DRAIN_AFTER_EXIT_MS, child);
      child.once('close', () => {
        drain.cancel();
        resolve(failure ?? exitOf(code, signal));
      });
    });
  });
  return { pid: child.pid, exit, kill, ...(child.stdin && { write: inputOf(child.stdin) }) };
}

async function whyNot(error: unknown, { cwd }: PipeLaunch): Promise<ProcessExit> {
  return { kind: 'not_started', reason: (await folderProblem(cwd)) ?? messageOf(error) };
}

function forwardOutput(child: ChildProcess, { onOutput }: PipeLaunch, fail: (reason: string) => void): void {
  const forward = (stream: OutputStream) => (chunk: Buffer) => {
    try {
      onOutput(chunk, stream);
    } catch (error) {
      fail(`its output could not be taken: ${messageOf(error)}`);
    }
  };
  child.stdout?.on('data', forward('stdout'));
  child.stderr?.on('data', forward('stderr'));
}

function inputOf(stdin: NonNullable<ChildProcess['stdin']>): (bytes: Uint8Array) => Promise<void> {
  // Each write hears of its own failure.
  stdin.on('error', () => {});
  return (bytes) =>
    new Promise((resolve, reject) => {
      stdin.write(bytes, (error) =>
        error ? reject(new ToolFailure('the program no longer reads its input', { cause: error })) : resolve(),
      );
    });
}

/** Stops waiting for whoever still holds the pipes, and ends it. */
function closePipesAfter(ms: number, child: ChildProcess): { cancel(): void } {
  let cancelled = false;
  const close = (): void => {
    if (cancelled) return;
    signalGroup(child.pid, 'SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  // A busy process may get here before it has read what is already waiting; an immediate runs after the next read.
  const timer = setTimeout(() => setImmediate(close), ms);
  return {
    cancel() {
      cancelled = true;
      clearTimeout(timer);
    },
  };
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): ProcessExit {
  if (code !== null) return { kind: 'exited', code };
  const name = signal ?? 'SIGKILL';
  return { kind: 'signalled', signal: name, number: constants.signals[name] };
}
