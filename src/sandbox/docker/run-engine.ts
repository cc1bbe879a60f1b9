/** Runs the program of a container engine to its end. */
import { spawn } from 'node:child_process';

import { messageOf } from '../../core/errors.js';

/** How to reach an engine: its program, and the variables that it needs (`PATH`, `HOME`, `DOCKER_HOST`). */
export type EngineCall = { readonly file: string; readonly env: Readonly<Record<string, string | undefined>> };

export type EngineAnswer =
  | { readonly kind: 'ended'; readonly code: number; readonly output: string; readonly errors: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly reason: string };

type RunOptions = { readonly input?: Uint8Array; readonly ms: number };

const MOST_BYTES = 4_000_000;

/** Never rejects. */
export function runEngine(call: EngineCall, args: readonly string[], { input, ms }: RunOptions): Promise<EngineAnswer> {
  return new Promise((resolve) => {
    const child = spawn(call.file, args, { env: call.env, stdio: ['pipe', 'pipe', 'pipe'] });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // Whatever it has started may hold its output open.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ kind: 'failed', reason: `no answer within ${ms / 1000} s` });
    }, ms);
    const output = collect(child.stdout);
    const errors = collect(child.stderr);
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(error.code === 'ENOENT' ? { kind: 'missing' } : { kind: 'failed', reason: messageOf(error) });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ kind: 'ended', code: code ?? -1, output: output(), errors: errors() });
    });
  });
}

/** The last line that says something: engines warn first and fail last. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}
