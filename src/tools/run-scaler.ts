/**
 * Makes an image smaller in a confined process. That process has decoded bytes of anybody's making, so what it gives
 * back is looked at like any other file.
 */
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import { identifyImage, isWhole } from '../images/identify.js';
import type { ImageFacts } from '../images/image.js';
import { runQuietly } from './run-quietly.js';

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
  const run = await runQuietly(
    { argv, cwd: workspace.cwd, timeoutMs: TIME_LIMIT_MS, maxBytes: maxBytes + MOST_HEADER_BYTES },
    scope,
  );
  if (run.kind === 'not-run') return failed(run.reason);
  if (run.stopped !== undefined) return failed('it took too long or printed too much, and was ended');
  return run.code === 0 ? readAnswer(run.output, request) : failed(`exit code ${run.code}`);
}

function failed(why: string): Scaled {
  return { kind: 'unavailable', reason: `the program that makes images smaller failed (${why})` };
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
  return failed('it gave back something else');
}

function readHeader(line: string): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(line);
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
