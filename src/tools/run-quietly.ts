/** Runs a program of ours for what it prints, up to a bound, without anybody watching. */
import { Buffer } from 'node:buffer';

import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { Command } from '../core/workspace.js';
import { endOf } from './run-to-end.js';

export type QuietRequest = {
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  readonly timeoutMs: number;
  readonly maxBytes: number;
};

export type QuietRun =
  | {
      readonly kind: 'ran';
      /** As a shell would show it. */
      readonly code: number;
      /** Both of its streams. */
      readonly output: Buffer;
      /** Why it was ended before it had ended by itself. */
      readonly stopped?: 'full' | 'late' | undefined;
    }
  /** There is no such program, or nothing to confine it with. */
  | { readonly kind: 'not-run'; readonly reason: string };

export async function runQuietly(request: QuietRequest, scope: RunScope): Promise<QuietRun> {
  const { argv, cwd, timeoutMs, maxBytes } = request;
  const stop = new AbortController();
  let stopped: 'full' | 'late' | undefined;
  const end = (why?: 'full' | 'late') => (): void => {
    stopped ??= why;
    stop.abort();
  };
  const output = createStore(maxBytes, end('full'));
  const cancel = end();
  scope.signal.addEventListener('abort', cancel, { once: true });
  if (scope.signal.aborted) cancel();
  const timer = setTimeout(end('late'), timeoutMs);
  try {
    const { signal } = stop;
    const onOutput: Command['onOutput'] = (chunk) => output.add(chunk);
    const exit = await endOf(await scope.workspace.spawn({ argv, cwd, signal, onOutput }), signal);
    scope.signal.throwIfAborted();
    if (exit.kind === 'not_started') return { kind: 'not-run', reason: exit.reason };
    const code = exit.kind === 'exited' ? exit.code : 128 + exit.number;
    return { kind: 'ran', code, output: output.bytes(), stopped };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof Rejected) return { kind: 'not-run', reason: messageOf(error) };
    if (!(error instanceof Aborted) || stopped === undefined) throw error;
    return { kind: 'ran', code: 0, output: output.bytes(), stopped };
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
