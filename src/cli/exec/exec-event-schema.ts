/**
 * The published shape of what `tenon exec --json` prints. `docs/exec-events.schema.json` is generated from this file and
 * that of the items; types are inferred from it. Names and fields are those of `codex exec --json` wherever it has them.
 */
import { discriminatedUnion, extend, int, literal, number, object, optional, string } from 'zod/mini';

import { execItemSchema } from './exec-item-schema.js';

const usage = object({
  input_tokens: number(),
  cached_input_tokens: number(),
  cache_write_input_tokens: number(),
  output_tokens: number(),
  reasoning_output_tokens: number(),
});

const turnEnd = object({
  /** Of the whole thread. */
  usage,
  turn_usage: usage,
  /** How often the model was asked. */
  requests: int(),
  cost_usd: optional(number()),
});

export const execEventSchema = discriminatedUnion('type', [
  object({
    type: literal('thread.started'),
    /** Version of this schema; the first line has it. */
    v: literal(1),
    thread_id: string(),
    cwd: string(),
    model: string(),
    provider: string(),
    approval_policy: string(),
    sandbox_mode: string(),
  }),
  object({ type: literal('turn.started'), turn_id: string() }),
  object({ type: literal('item.started'), item: execItemSchema }),
  object({ type: literal('item.updated'), item: execItemSchema }),
  object({ type: literal('item.completed'), item: execItemSchema }),
  extend(turnEnd, { type: literal('turn.completed') }),
  extend(turnEnd, {
    type: literal('turn.failed'),
    /** `kind`: `interrupted`, `limit`, `repetition`, or what went wrong with the request. */
    error: object({ message: string(), kind: string(), status: optional(int()) }),
  }),
  /** A request that failed. With `retry` it is tried again; without, `turn.failed` follows. */
  object({
    type: literal('error'),
    message: string(),
    kind: string(),
    /** Of the HTTP response, if there was one. */
    status: optional(int()),
    retry: optional(int()),
    most: optional(int()),
    delay_ms: optional(int()),
  }),
]);
