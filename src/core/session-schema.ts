/**
 * The lines of a session's file: one JSON object each, in the order in which things happened, never changed afterwards.
 * `docs/session.schema.json` is generated from this file. A reader passes over a `type` that it does not know.
 */
import {
  array,
  boolean,
  discriminatedUnion,
  enum as oneOf,
  int,
  literal,
  number,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from 'zod/mini';

import { effect, grant, payload, planStep, turnError, usage } from './event-parts.js';

const part = discriminatedUnion('kind', [
  object({ kind: literal('text'), text: string() }),
  object({
    kind: literal('image'),
    mediaType: string(),
    base64: string(),
    detail: optional(oneOf(['high', 'original'])),
  }),
]);

const call = object({ id: string(), name: string(), payload });

const answer = object({
  callId: string(),
  payloadKind: oneOf(['function', 'custom', 'local_shell']),
  content: array(part),
  success: boolean(),
});

const raw = optional(record(string(), unknown()));

const item = discriminatedUnion('kind', [
  object({ kind: literal('message'), text: string(), phase: optional(string()), raw }),
  object({ kind: literal('reasoning'), text: string(), raw }),
  object({ kind: literal('call'), call, raw }),
  object({ kind: literal('hosted'), name: string(), id: string(), detail: record(string(), unknown()), raw }),
  object({ kind: literal('other'), raw }),
]);

const wire = oneOf(['responses', 'chat']);

const input = object({ kind: literal('input'), role: oneOf(['developer', 'user']), content: array(part) });

const entry = discriminatedUnion('kind', [
  input,
  object({ kind: literal('reply'), wire, items: array(item) }),
  object({ kind: literal('answers'), answers: array(answer) }),
]);

/** Who said it: what we tell of the surroundings, the user, or what happened in a turn. */
const origin = oneOf(['context', 'user', 'turn']);

/** ISO 8601 time. */
const at = string();

export const sessionLineSchema = discriminatedUnion('type', [
  /** The first line of every file. */
  object({
    type: literal('session.created'),
    /** Raised when a line changes in a way that an older reader cannot pass over. */
    v: literal(1),
    id: string(),
    at,
    cwd: string(),
    /** Of Tenon. */
    version: string(),
    /** The lines that follow, up to the first turn of its own, are those of another session. */
    forkedFrom: optional(object({ id: string(), turns: int() })),
  }),
  object({ type: literal('session.named'), at, name: string() }),
  /** What the session runs with from here on; `restore` is for whoever opens it again. */
  object({
    type: literal('settings.chosen'),
    at,
    model: string(),
    provider: string(),
    restore: optional(record(string(), unknown())),
  }),
  object({
    type: literal('turn.started'),
    at,
    turn: string(),
    wire,
    outputSchema: optional(object({ name: string(), schema: record(string(), unknown()), strict: boolean() })),
  }),
  /** What the entries of origin `context` just before it were made of: all of them were told. */
  object({ type: literal('context.told'), snapshot: record(string(), unknown()) }),
  object({ type: literal('entry.said'), origin, entry: input }),
  /** What every request says beside the history, whenever that has changed: the prompt, the tools, how to answer. */
  object({ type: literal('request.shaped'), request: record(string(), unknown()) }),
  /** A part of a response that counts, as soon as it does. */
  object({ type: literal('item.received'), item }),
  /** A call begins to be dealt with. `id` is the model's name for it, `callId` ours, which no other call has. */
  object({ type: literal('call.started'), at, id: string(), callId: string() }),
  object({ type: literal('question.asked'), at, callId: string(), id: string(), title: string(), reason: string() }),
  object({
    type: literal('question.decided'),
    at,
    callId: string(),
    id: string(),
    decision: oneOf(['once', 'session', 'always', 'preview', 'deny', 'abort']),
    note: optional(string()),
  }),
  /** Written before anything is done: from here on the call may have had an effect. */
  object({
    type: literal('call.intended'),
    at,
    callId: string(),
    attempt: int(),
    confined: boolean(),
    grants: array(grant),
    effects: array(effect),
    /** What hooks made of the call. */
    payload: optional(payload),
  }),
  /** How the call ended. There is one for each call that was started, unless the program was stopped before. */
  object({
    type: literal('call.settled'),
    at,
    callId: string(),
    outcome: oneOf(['completed', 'failed', 'rejected', 'aborted', 'crashed', 'fatal']),
    by: optional(oneOf(['policy', 'user', 'hook', 'signal', 'deadline'])),
    answer,
  }),
  /** The response has ended; without `stop` it was broken off, and what counts of it was received before. */
  object({
    type: literal('response.read'),
    wire,
    stop: optional(oneOf(['end', 'length', 'filter'])),
    endTurn: optional(boolean()),
    usage: optional(usage),
  }),
  /** The answers as the model got them, in the order of its calls: that of a settled call, or another one. */
  object({ type: literal('answers.given'), answers: array(union([object({ of: string() }), object({ answer })])) }),
  /** The conversation was told shorter: these entries take the place of all before them. */
  object({
    type: literal('history.replaced'),
    at,
    /** `forked`: they are those of another session. */
    reason: oneOf(['overflow', 'near-limit', 'asked', 'forked']),
    entries: array(object({ origin, entry })),
    /** What that took. */
    usage: optional(usage),
  }),
  object({ type: literal('plan.updated'), plan: array(planStep) }),
  /** A command goes on after its call was answered; `session` is what the model knows it by. */
  object({ type: literal('program.left'), callId: string(), session: number(), argv: array(string()) }),
  object({ type: literal('program.ended'), session: number() }),
  object({
    type: literal('turn.finished'),
    at,
    turn: string(),
    status: oneOf(['completed', 'interrupted', 'failed', 'stopped']),
    error: optional(turnError),
    message: optional(string()),
  }),
]);
