/**
 * Starts a program in its own process group, without a terminal and without input. However it ends (by itself, by
 * timeout, by cancellation, or by never starting), `exit` resolves with data, and never waits for a pipe that a
 * forgotten child holds open.
 */
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { constants } from 'node:os';

import { messageOf } from '../core/errors.js';
import type { OutputStream } from '../core/output.js';
import type { Command, Exit, Process } from '../core/workspace.js';

/** After a kill, pipes may be held by grandchildren that are dying too. */
const DRAIN_AFTER_KILL_MS = 2_000;
/** After a normal end, only a child left in the background still holds a pipe. */
const DRAIN_AFTER_EXIT_MS = 100;
/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export async function spawnProcess(command: Command, env: Record<string, string>): Promise<Process> {
  const problem = await folderProblem(command.cwd);
  if (problem !== undefined) return notStarted(problem);
  // Loaded here because most runs of the program start no command at all.
  const { spawn } = await import('node:child_process');
  if (command.signal?.aborted) return { pid: undefined, exit: Promise.resolve({ kind: 'aborted' }) };
  const [file = '', ...args] = command.argv;
  try {
    const child = spawn(file, args, { cwd: command.cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    return { pid: child.pid, exit: watch(child, command) };
  } catch (error) {
    return notStarted(messageOf(error));
  }
}

async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    return (await fs.promises.stat(folder)).isDirectory()
      ? undefined
      : `the working directory ${folder} is not a folder`;
  } catch {
    return `the working directory ${folder} does not exist`;
  }
}

function notStarted(reason: string): Process {
  return { pid: undefined, exit: Promise.resolve({ kind: 'not_started', reason }) };
}

/** Follows a child to its end: why it was killed, if it was, outranks how it died. */
function watch(child: ChildProcess, command: Command): Promise<Exit> {
  const killer = armKiller(child, command);
  forwardOutput(child, command, (why) => killer.kill(why));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      killer.disarm();
      resolve({ kind: 'not_started', reason: error.message });
    });
    child.once('exit', (code, signal) => {
      killer.disarm();
      const exit = killer.reason() ?? exitOf(code, signal);
      const giveUp = closePipesAfter(killer.reason() ? DRAIN_AFTER_KILL_MS : DRAIN_AFTER_EXIT_MS, child);
      child.once('close', () => {
        giveUp.cancel();
        resolve(exit);
      });
    });
  });
}

function forwardOutput(child: ChildProcess, { onOutput }: Command, kill: (why: Exit) => void): void {
  const forward = (stream: OutputStream) => (chunk: Buffer) => {
    try {
      onOutput(chunk, stream);
    } catch (error) {
      kill({ kind: 'not_started', reason: `its output could not be taken: ${messageOf(error)}` });
    }
  };
  child.stdout?.on('data', forward('stdout'));
  child.stderr?.on('data', forward('stderr'));
}

/** Stops waiting for whoever still holds the pipes, and ends it. */
function closePipesAfter(ms: number, child: ChildProcess): { cancel(): void } {
  let cancelled = false;
  const close = (): void => {
    if (cancelled) return;
    killGroup(child);
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

type Killer = { kill(why: Exit): void; reason(): Exit | undefined; disarm(): void };

/** Kills the child's group on timeout or cancellation and remembers which of the two came first. */
function armKiller(child: ChildProcess, { timeoutMs, signal }: Command): Killer {
  let reason: Exit | undefined;
  const kill = (why: Exit): void => {
    reason ??= why;
    killGroup(child);
  };
  const onAbort = (): void => kill({ kind: 'aborted' });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => kill({ kind: 'timed_out', ms: timeoutMs }), Math.min(timeoutMs, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    kill,
    reason: () => reason,
    disarm() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  if (code !== null) return { kind: 'exited', code };
  const name = signal ?? 'SIGKILL';
  return { kind: 'signalled', signal: name, number: constants.signals[name] };
}

/** The child leads its own group, so this reaches what it started too. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}
