/** Runs a command to its end, for the tools that answer only then. */
import { ToolFailure } from '../core/errors.js';
import type { Capture } from '../core/output.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { Exit, Process } from '../core/workspace.js';

export type Run = { readonly exit: Exit; readonly output: Capture; readonly seconds: number };

export type RunRequest = { readonly argv: readonly string[]; readonly cwd: AbsolutePath; readonly timeoutMs: number };

export async function runToEnd({ argv, cwd, timeoutMs }: RunRequest, scope: RunScope): Promise<Run> {
  const output = scope.capture();
  const started = scope.now();
  const process = await scope.workspace.spawn({ argv, cwd, onOutput: (chunk, stream) => output.write(chunk, stream) });
  const exit = await endOf(process, timeoutMs, scope.signal);
  scope.signal.throwIfAborted();
  return { exit, output, seconds: (scope.now() - started) / 1000 };
}

/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function endOf(process: Process, timeoutMs: number, signal: AbortSignal): Promise<Exit> {
  let timedOut = false;
  const end = (): void => void process.end();
  const timer = setTimeout(
    () => {
      timedOut = true;
      end();
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const exit = await process.exit;
    return timedOut ? { kind: 'timed_out', ms: timeoutMs } : exit;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
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
