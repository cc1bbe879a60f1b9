/** Whether a request that failed is worth another try, and when. Pure. */
import type { FailureKind, ModelError, ModelLimits } from '../core/model.js';

/** What another try may help against. The rest is for the user: a key, a name, a bill, too long a history. */
const PASSING: ReadonlySet<FailureKind> = new Set([
  'rate-limit',
  'server',
  'unreachable',
  'closed',
  'stalled',
  'garbled',
]);

/** Failures of a stream, as opposed to those of a request that never became one. */
const OF_STREAMS: ReadonlySet<FailureKind> = new Set(['closed', 'stalled', 'garbled']);

const FIRST_DELAY_MS = 200;

/** A server that wants to be left alone for longer is not waited for. */
const LONGEST_DELAY_MS = 10 * 60_000;

export type Retry = { readonly delayMs: number; readonly most: number };

/** `failures` counts this one; `random` is between 0 and 1, so that many clients do not come back at once. */
export function retryFor(error: ModelError, failures: number, limits: ModelLimits, random: number): Retry | undefined {
  const most = error.streaming || OF_STREAMS.has(error.kind) ? limits.streamRetries : limits.requestRetries;
  const delayMs = Math.round(error.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (failures - 1) * (0.9 + 0.2 * random));
  if (!PASSING.has(error.kind) || failures > most || delayMs > LONGEST_DELAY_MS) return undefined;
  return { delayMs, most };
}
