/**
 * Whether a line is what its type says, as deep as anybody looks who opens a session. `src/core/session-schema.ts` says the
 * same of the whole, but takes ten times as long for a session of a day as these few functions, half of it before the first
 * line.
 */
import { isJsonObject } from '../../core/json-object.js';
import { SESSION_VERSION } from '../../core/session-log.js';
import type { SessionLine } from '../../core/session-log.js';

type Check = (value: unknown) => boolean;

/** Undefined for a type that is not known. */
export function shapeOf(type: string): Check | undefined {
  return Object.hasOwn(SHAPES, type) ? SHAPES[type as SessionLine['type']] : undefined;
}

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const flag: Check = (value) => typeof value === 'boolean';

function oneOf(...values: readonly string[]): Check {
  return (value) => (values as readonly unknown[]).includes(value);
}

function maybe(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function fields(checks: Readonly<Record<string, Check>>): Check {
  const names = Object.keys(checks);
  return (value) => isJsonObject(value) && names.every((name) => checks[name]?.(value[name]));
}

function byKind(shapes: Readonly<Record<string, Check>>): Check {
  const known = new Map<unknown, Check>(Object.entries(shapes));
  return (value) => isJsonObject(value) && known.get(value['kind'])?.(value) === true;
}

const PAYLOADS = {
  function: fields({ arguments: text }),
  custom: fields({ input: text }),
  local_shell: fields({ argv: listOf(text), cwd: maybe(text), timeoutMs: maybe(number) }),
};
const payload = byKind(PAYLOADS);
const payloadKind = oneOf(...Object.keys(PAYLOADS));

const content = listOf(
  byKind({
    text: fields({ text }),
    image: fields({ mediaType: text, base64: text, detail: maybe(text) }),
  }),
);

const answer = fields({ callId: text, payloadKind, content, success: flag });

const raw = maybe(isJsonObject);

const item = byKind({
  message: fields({ text, phase: maybe(text), raw }),
  reasoning: fields({ text, raw }),
  call: fields({ call: fields({ id: text, name: text, payload }), raw }),
  hosted: fields({ name: text, id: text, detail: isJsonObject, raw }),
  other: fields({ raw }),
});

const wire = oneOf('responses', 'chat');
const input = fields({ role: oneOf('developer', 'user'), content });
const entry = byKind({
  input,
  reply: fields({ wire, items: listOf(item) }),
  answers: fields({ answers: listOf(answer) }),
});
const origin = oneOf('context', 'user', 'turn');

const usage = fields({
  inputTokens: number,
  cachedInputTokens: number,
  cacheWriteInputTokens: number,
  outputTokens: number,
  reasoningOutputTokens: number,
});

const at = text;
const callId = text;
const question = { at, callId, id: text };

const SHAPES: Readonly<Record<SessionLine['type'], Check>> = {
  'session.created': fields({
    v: (value) => value === SESSION_VERSION,
    id: text,
    at,
    cwd: text,
    version: text,
    forkedFrom: maybe(fields({ id: text, turns: number })),
  }),
  'session.named': fields({ at, name: text }),
  'settings.chosen': fields({ at, model: text, provider: text, restore: maybe(isJsonObject) }),
  'turn.started': fields({
    at,
    turn: text,
    wire,
    outputSchema: maybe(fields({ name: text, schema: isJsonObject, strict: flag })),
  }),
  'context.told': fields({ snapshot: isJsonObject }),
  'entry.said': fields({ origin, entry: byKind({ input }) }),
  'request.shaped': fields({ request: isJsonObject }),
  'item.received': fields({ item }),
  'call.started': fields({ at, id: text, callId }),
  'question.asked': fields({ ...question, title: text, reason: text }),
  'question.decided': fields({
    ...question,
    decision: text,
    note: maybe(text),
  }),
  'call.intended': fields({
    at,
    callId,
    attempt: number,
    confined: flag,
    grants: listOf(isJsonObject),
    effects: listOf(isJsonObject),
    payload: maybe(payload),
  }),
  'call.settled': fields({
    at,
    callId,
    outcome: text,
    by: maybe(text),
    answer,
  }),
  'response.read': fields({
    wire,
    stop: maybe(text),
    endTurn: maybe(flag),
    usage: maybe(usage),
  }),
  'answers.given': fields({
    answers: listOf((given) => isJsonObject(given) && (text(given['of']) || answer(given['answer']))),
  }),
  'history.replaced': fields({
    at,
    reason: text,
    entries: listOf(fields({ origin, entry })),
    usage: maybe(usage),
  }),
  'plan.updated': fields({
    plan: listOf(fields({ step: text, status: text })),
  }),
  'program.left': fields({ callId, session: number, argv: listOf(text) }),
  'program.ended': fields({ session: number }),
  'turn.finished': fields({
    at,
    turn: text,
    status: oneOf('completed', 'interrupted', 'failed', 'stopped'),
    error: maybe(fields({ kind: text, message: text })),
    message: maybe(text),
  }),
};
