/** Runs a command to its end, for the tools that answer only then. */
import { Aborted, ToolFailure } from '../core/errors.js';
import type { Capture } from '../core/output.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { Command, Exit, Process, ProcessExit } from '../core/workspace.js';

export type Run = { readonly exit: Exit; readonly output: Capture; readonly seconds: number };

export type RunRequest = { readonly argv: readonly string[]; readonly cwd: AbsolutePath; readonly timeoutMs: number };

export async function runToEnd({ argv, cwd, timeoutMs }: RunRequest, scope: RunScope): Promise<Run> {
  const output = scope.capture();
  const started = scope.now();
  const limit = createLimit(timeoutMs, scope.signal);
  try {
    const { signal } = limit;
    const onOutput: Command['onOutput'] = (chunk, stream) => output.write(chunk, stream);
    const exit = await endOf(await scope.workspace.spawn({ argv, cwd, signal, onOutput, lendsOutput: true }), signal);
    scope.signal.throwIfAborted();
    return { exit: limit.outran(exit) ?? exit, output, seconds: secondsSince(started, scope) };
  } catch (error) {
    const exit = error instanceof Aborted ? limit.outran() : undefined;
    if (exit === undefined) throw error;
    return { exit, output, seconds: secondsSince(started, scope) };
  } finally {
    limit.clear();
  }
}

function secondsSince(started: number, scope: RunScope): number {
  return (scope.now() - started) / 1000;
}

/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Limit = {
  /** Fires when the time is up, or the call was cancelled. */
  readonly signal: AbortSignal;
  /** The exit of a command that had to be stopped; one that ended by itself just then has its own. */
  outran(exit?: ProcessExit): Exit | undefined;
  clear(): void;
};

function createLimit(ms: number, cancelled: AbortSignal): Limit {
  const controller = new AbortController();
  let isUp = false;
  const stop = (): void => controller.abort();
  const timer = setTimeout(
    () => {
      isUp = true;
      stop();
    },
    Math.min(ms, LONGEST_TIMER_MS),
  );
  cancelled.addEventListener('abort', stop, { once: true });
  if (cancelled.aborted) stop();
  return {
    signal: controller.signal,
    outran(exit) {
      const stopped = exit === undefined || (exit.kind === 'signalled' && exit.signal === 'SIGKILL');
      return isUp && stopped && !cancelled.aborted ? { kind: 'timed_out', ms } : undefined;
    },
    clear() {
      clearTimeout(timer);
      cancelled.removeEventListener('abort', stop);
    },
  };
}

/** When it has to be stopped, everything it started is gone before it counts as ended. */
export async function endOf(process: Process, signal: AbortSignal): Promise<ProcessExit> {
  let ending: Promise<void> | undefined;
  const end = (): void => void (ending = process.end());
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const exit = await process.exit;
  signal.removeEventListener('abort', end);
  await ending;
  return exit;
}

const TIMED_OUT_CODE = 124;

/** A signal shows as a shell would show it; what never started is the model's to mend. */
export function exitCodeOf(exit: Exit, tool: string): number {
  switch (exit.kind) {
    case 'exited':
      return exit.code;
    case 'signalled':
      return 128 + exit.number;
    case 'timed_out':
      return TIMED_OUT_CODE;
    case 'not_started':
      throw new ToolFailure(`${tool} failed: ${exit.reason}`);
  }
}
