/**
 * Makes an image smaller in a confined process. That process has decoded bytes of anybody's making, so what it gives
 * back is looked at like any other file.
 */
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { Process, ProcessExit } from '../core/workspace.js';
import { identifyImage, isWhole } from '../images/identify.js';
import type { ImageFacts } from '../images/image.js';

export type ScaleRequest = { readonly path: AbsolutePath; readonly maxSide: number; readonly maxBytes: number };

export type Scaled =
  | { readonly kind: 'scaled'; readonly bytes: Buffer; readonly facts: ImageFacts }
  /** It was tried, and this is no image after all. */
  | { readonly kind: 'undecodable'; readonly reason: string }
  /** It could not be tried, or not to its end. */
  | { readonly kind: 'unavailable'; readonly reason?: string };

const TIME_LIMIT_MS = 30_000;
const MOST_HEADER_BYTES = 4_096;

export async function scaleInProcess(request: ScaleRequest, scope: RunScope): Promise<Scaled> {
  const { workspace } = scope;
  const program = await workspace.companion?.('scale-image');
  if (program === undefined) return { kind: 'unavailable' };
  const { path, maxSide, maxBytes } = request;
  const argv = [...program, path, String(maxSide), String(maxBytes)];
  const run = await runBounded(argv, maxBytes + MOST_HEADER_BYTES, scope);
  if (run.problem !== undefined) return { kind: 'unavailable', reason: run.problem };
  return readAnswer(run.output, request);
}

type BoundedRun = { readonly output: Buffer; readonly problem?: string };

/** The whole of what it prints, as long as that is not more than expected. */
async function runBounded(argv: readonly string[], maxBytes: number, scope: RunScope): Promise<BoundedRun> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIME_LIMIT_MS);
  const cancel = (): void => stop.abort();
  scope.signal.addEventListener('abort', cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const keep = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) stop.abort();
    else chunks.push(chunk);
  };
  try {
    scope.signal.throwIfAborted();
    const process = await scope.workspace.spawn({
      argv,
      cwd: scope.workspace.cwd,
      signal: stop.signal,
      onOutput: (chunk, stream) => stream === 'stdout' && keep(chunk),
    });
    const exit = await endOf(process, stop.signal);
    scope.signal.throwIfAborted();
    const problem = stop.signal.aborted ? STOPPED : problemOf(exit);
    return { output: Buffer.concat(chunks), ...(problem !== undefined && { problem }) };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof Aborted) return { output: Buffer.alloc(0), problem: STOPPED };
    if (error instanceof Rejected) return { output: Buffer.alloc(0), problem: messageOf(error) };
    throw error;
  } finally {
    clearTimeout(timer);
    scope.signal.removeEventListener('abort', cancel);
  }
}

const STOPPED = 'the program that makes images smaller took too long or printed too much, and was ended';

async function endOf(process: Process, signal: AbortSignal): Promise<ProcessExit> {
  let ending: Promise<void> | undefined;
  const end = (): void => void (ending = process.end());
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const exit = await process.exit;
  signal.removeEventListener('abort', end);
  await ending;
  return exit;
}

function problemOf(exit: ProcessExit): string | undefined {
  if (exit.kind === 'exited' && exit.code === 0) return undefined;
  const how = exit.kind === 'exited' ? `exit code ${exit.code}` : exit.kind === 'signalled' ? exit.signal : exit.reason;
  return `the program that makes images smaller failed (${how})`;
}

function readAnswer(output: Buffer, { maxSide, maxBytes }: ScaleRequest): Scaled {
  const lineEnd = output.indexOf('\n');
  const header = readHeader(output.subarray(0, Math.max(0, lineEnd)).toString());
  if (typeof header['problem'] === 'string') return { kind: 'undecodable', reason: header['problem'] };
  const bytes = output.subarray(lineEnd + 1);
  const facts = header['bytes'] === bytes.length ? identifyImage(bytes) : undefined;
  const isAsAsked =
    (facts?.format === 'png' || facts?.format === 'jpeg') &&
    Math.max(facts.width, facts.height) <= maxSide &&
    bytes.length <= maxBytes &&
    isWhole(facts.format, bytes);
  if (isAsAsked) return { kind: 'scaled', bytes, facts };
  return { kind: 'unavailable', reason: 'the program that makes images smaller gave back something else' };
}

function readHeader(line: string): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(line);
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
