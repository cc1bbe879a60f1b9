/** Runs a program for what it prints, up to a bound, without anybody watching. */
import { Buffer } from 'node:buffer';

import { Aborted, Rejected } from '../core/errors.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { Command, Process } from '../core/workspace.js';
import { MAX_FOUND_BYTES } from '../search/found.js';

export type QuietRequest = { readonly argv: readonly string[]; readonly cwd: AbsolutePath; readonly timeoutMs: number };

export type QuietRun = {
  /** As a shell would show it. */
  readonly code: number;
  /** Both of its streams. */
  readonly output: Buffer;
  /** Why it was ended before it had ended by itself. */
  readonly stopped?: 'full' | 'late' | undefined;
};

/** Undefined when it could not be started: there is no such program, or nothing to confine it with. */
export async function runQuietly(
  { argv, cwd, timeoutMs }: QuietRequest,
  scope: RunScope,
): Promise<QuietRun | undefined> {
  const stop = new AbortController();
  let stopped: QuietRun['stopped'];
  const end = (why: QuietRun['stopped']) => (): void => {
    stopped ??= why;
    stop.abort();
  };
  const output = createStore(MAX_FOUND_BYTES, end('full'));
  const cancel = end(undefined);
  scope.signal.addEventListener('abort', cancel, { once: true });
  if (scope.signal.aborted) cancel();
  const timer = setTimeout(end('late'), timeoutMs);
  try {
    const { signal } = stop;
    const onOutput: Command['onOutput'] = (chunk) => output.add(chunk);
    const exit = await endOf(await scope.workspace.spawn({ argv, cwd, signal, onOutput }), signal);
    scope.signal.throwIfAborted();
    if (exit.kind === 'not_started') return undefined;
    const code = exit.kind === 'exited' ? exit.code : 128 + exit.number;
    return { code, output: output.bytes(), stopped };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof Rejected) return undefined;
    if (!(error instanceof Aborted) || stopped === undefined) throw error;
    return { code: 0, output: output.bytes(), stopped };
  } finally {
    clearTimeout(timer);
    scope.signal.removeEventListener('abort', cancel);
  }
}

type Store = { add(chunk: Uint8Array): void; bytes(): Buffer };

function createStore(maxBytes: number, full: () => void): Store {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (size > maxBytes) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) full();
    },
    bytes: () => Buffer.concat(chunks),
  };
}

/** When it has to be stopped, everything it started is gone before it counts as ended. */
async function endOf(process: Process, signal: AbortSignal): ReturnType<() => Process['exit']> {
  let ending: Promise<void> | undefined;
  const end = (): void => void (ending = process.end());
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const exit = await process.exit;
  signal.removeEventListener('abort', end);
  await ending;
  return exit;
}
