/** What several events have in common: calls, effects, rules, content, usage. */
import {
  array,
  boolean,
  discriminatedUnion,
  enum as oneOf,
  extend,
  int,
  literal,
  number,
  object,
  optional,
  string,
} from 'zod/mini';

export const stamp = object({
  /** Schema version. */
  v: literal(1),
  /** Position in this runtime's stream, from 1. */
  seq: int(),
  /** ISO 8601 time. */
  at: string(),
});

export const about = extend(stamp, { callId: string() });

export const payload = discriminatedUnion('kind', [
  object({ kind: literal('function'), arguments: string() }),
  object({ kind: literal('custom'), input: string() }),
  object({
    kind: literal('local_shell'),
    argv: array(string()),
    cwd: optional(string()),
    timeoutMs: optional(number()),
  }),
]);

export const effect = discriminatedUnion('kind', [
  object({ kind: literal('read'), path: string() }),
  object({ kind: literal('write'), path: string(), diff: optional(string()) }),
  object({ kind: literal('exec'), argv: array(string()), cwd: string() }),
  object({
    kind: literal('type'),
    session: number(),
    text: string(),
    confined: optional(boolean()),
    program: optional(array(string())),
    cwd: optional(string()),
    line: optional(string()),
  }),
  object({ kind: literal('connect'), host: string(), port: optional(number()) }),
  object({
    kind: literal('remote'),
    server: string(),
    tool: string(),
    host: optional(string()),
    readOnly: boolean(),
    destructive: boolean(),
  }),
]);

export const grant = discriminatedUnion('kind', [
  object({ kind: literal('read'), path: string() }),
  object({ kind: literal('write'), path: string() }),
  object({ kind: literal('connect'), host: string() }),
]);

export const rule = object({
  name: string(),
  file: optional(string()),
  line: optional(number()),
  justification: optional(string()),
});

/** One part of what the call would do, and what the policy says to it. */
export const finding = object({
  kind: oneOf(['command', 'read', 'write', 'connect', 'remote', 'type', 'unclear']),
  subject: string(),
  decision: oneOf(['allow', 'safe', 'neutral', 'ask', 'deny']),
  reason: optional(string()),
  rule: optional(rule),
});

export const proposedRule = discriminatedUnion('kind', [
  object({ kind: literal('command'), words: array(string()), cwd: string() }),
  object({ kind: literal('read'), path: string() }),
  object({ kind: literal('write'), path: string() }),
  object({ kind: literal('host'), host: string() }),
  object({ kind: literal('mcp'), server: string(), tool: string() }),
]);

export const content = discriminatedUnion('kind', [
  object({ kind: literal('text'), text: string() }),
  /** Images are named, not repeated: events stay small. */
  object({ kind: literal('image'), mediaType: string(), bytes: number() }),
]);

export const exit = discriminatedUnion('kind', [
  object({ kind: literal('exited'), code: number() }),
  object({ kind: literal('signalled'), signal: string(), number: number() }),
  object({ kind: literal('not_started'), reason: string() }),
]);

export const planStep = object({ step: string(), status: oneOf(['pending', 'in_progress', 'completed']) });

export const changedFile = object({
  path: string(),
  change: oneOf(['added', 'modified', 'deleted', 'mode-changed']),
});

/** Tokens, as the server counted them. */
export const usage = object({
  inputTokens: number(),
  cachedInputTokens: number(),
  cacheWriteInputTokens: number(),
  outputTokens: number(),
  reasoningOutputTokens: number(),
});

export const inTurn = extend(stamp, { turn: string() });

/** Why a turn did not end by itself. */
export const turnError = object({
  kind: string(),
  message: string(),
  /** Of the HTTP response, if there was one. */
  status: optional(int()),
});
