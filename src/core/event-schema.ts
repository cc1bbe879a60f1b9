/**
 * The published shape of every event. `docs/events.schema.json` is generated from this file; types are inferred
 * from it, so it costs nothing at run time unless somebody validates.
 */
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
  record,
  string,
  unknown,
} from 'zod/mini';

import {
  about,
  changedFile,
  content,
  effect,
  exit,
  finding,
  grant,
  inTurn,
  payload,
  planStep,
  proposedRule,
  rule,
  stamp,
  turnError,
  usage,
} from './event-parts.js';

export const runtimeEventSchema = discriminatedUnion('type', [
  extend(stamp, { type: literal('tool.refused'), name: string(), reason: string() }),
  extend(stamp, { type: literal('listener.failed'), reason: string() }),
  extend(about, { type: literal('call.started'), name: string(), payload }),
  extend(about, {
    type: literal('hook.finished'),
    hook: string(),
    phase: oneOf(['before', 'after']),
    result: oneOf(['continue', 'rewrite', 'keep', 'replace', 'block', 'crash']),
    reason: optional(string()),
    /** What the call became, when the hook rewrote it. */
    payload: optional(payload),
  }),
  extend(about, {
    type: literal('verdict.reached'),
    verdict: oneOf(['allow', 'ask', 'deny']),
    confined: boolean(),
    reason: optional(string()),
    rule,
    effects: array(effect),
    findings: optional(array(finding)),
  }),
  extend(about, {
    type: literal('approval.requested'),
    /** What the question is answered by. */
    id: string(),
    /** When it is answered by itself; ISO 8601. */
    deadline: optional(string()),
    title: string(),
    command: optional(string()),
    diff: optional(string()),
    reason: string(),
    rule,
    confined: boolean(),
    grants: array(grant),
    /** What "always" would write down. */
    proposal: optional(array(proposedRule)),
    /** Whether it can be run on a copy first. */
    previewable: optional(boolean()),
    /** Whether a yes is for this once, whatever the answer says. */
    onlyOnce: optional(boolean()),
  }),
  extend(about, {
    type: literal('approval.decided'),
    /** Of the question, as in `approval.requested`; absent when an earlier answer was enough. */
    id: optional(string()),
    decision: oneOf(['once', 'session', 'always', 'preview', 'deny', 'abort']),
    note: optional(string()),
    /** `memory`: an earlier yes covers it. `nobody`: there is no approver, or it failed. */
    by: oneOf(['approver', 'elsewhere', 'deadline', 'memory', 'nobody']),
  }),
  /** The answer was "always", and these rules now say so. */
  extend(about, { type: literal('rule.saved'), rules: array(rule) }),
  /** The answer was "always", and it could not be written down. */
  extend(about, { type: literal('rule.refused'), reason: string() }),
  extend(about, { type: literal('attempt.started'), attempt: int(), confined: boolean(), grants: array(grant) }),
  extend(about, {
    type: literal('attempt.denied'),
    attempt: int(),
    kind: oneOf(['write', 'read', 'connect', 'syscall']),
    target: string(),
    proof: oneOf(['broker', 'kernel', 'proxy', 'counterfactual', 'inferred']),
  }),
  /** The sandbox could not be set up, and nothing was run; or not all could be put back afterwards. */
  extend(about, { type: literal('sandbox.failed'), attempt: int(), reason: string() }),
  /** Something protected was changed, and put back when the command had ended. */
  extend(about, {
    type: literal('sandbox.reverted'),
    attempt: int(),
    path: string(),
    change: string(),
    /** Where what stood in its place is now. */
    aside: optional(string()),
  }),
  extend(about, {
    type: literal('output.delta'),
    stream: oneOf(['stdout', 'stderr']),
    text: string(),
    /** Bytes of output left out right after this text, because more came than can be watched. */
    omitted: optional(int()),
  }),
  /** The call's command goes on after its answer; `callId` is that of the call in all that follows. */
  extend(about, {
    type: literal('session.opened'),
    session: number(),
    argv: array(string()),
    cwd: string(),
    tty: boolean(),
  }),
  extend(about, { type: literal('session.ended'), session: number(), exit }),
  extend(about, { type: literal('output.kept'), path: string(), bytes: number(), complete: boolean() }),
  /** The call has changed these; `diff` is in the form of `git diff`, and left out where it would be long. */
  extend(about, { type: literal('files.changed'), files: array(changedFile), diff: optional(string()) }),
  /** What the call's command changed stands, but could not be written down, and so cannot be taken back. */
  extend(about, { type: literal('changes.unrecorded'), reason: string() }),
  /** A change that an earlier run had left half made was put right. */
  extend(stamp, {
    type: literal('changes.recovered'),
    id: string(),
    /** `put-back`: as it was before. `left`: not all could be put back. */
    result: oneOf(['completed', 'put-back', 'left']),
    paths: array(string()),
  }),
  extend(about, { type: literal('plan.updated'), plan: array(planStep), explanation: optional(string()) }),
  extend(about, {
    type: literal('call.finished'),
    name: string(),
    outcome: oneOf(['completed', 'failed', 'rejected', 'aborted', 'crashed', 'fatal']),
    /** Who rejected or aborted it. */
    by: optional(oneOf(['policy', 'user', 'hook', 'signal', 'deadline'])),
    /** For an aborted call: whether the tool itself had already ended. */
    afterRun: optional(boolean()),
    success: boolean(),
    durationMs: number(),
    content: array(content),
    details: optional(record(string(), unknown())),
  }),
  extend(inTurn, { type: literal('turn.started'), model: string(), provider: string() }),
  /** What the user said while the turn ran is told to the model with the next request. */
  extend(inTurn, { type: literal('input.taken'), content: array(content) }),
  /** A request is sent; `request` counts them within the turn. */
  extend(inTurn, { type: literal('request.started'), request: int(), bytes: int() }),
  /** It failed and is tried again after a while. */
  extend(inTurn, {
    type: literal('request.retried'),
    retry: int(),
    most: int(),
    delayMs: int(),
    error: turnError,
  }),
  extend(inTurn, { type: literal('message.delta'), text: string() }),
  extend(inTurn, { type: literal('message.completed'), text: string(), phase: optional(string()) }),
  extend(inTurn, { type: literal('reasoning.delta'), text: string() }),
  extend(inTurn, { type: literal('reasoning.completed'), text: string() }),
  /** The deltas since the last completed message or reasoning do not count: their stream broke. */
  extend(inTurn, { type: literal('deltas.discarded') }),
  /** A tool that the model's own server ran. */
  extend(inTurn, {
    type: literal('hosted.finished'),
    id: string(),
    name: string(),
    detail: record(string(), unknown()),
  }),
  /** The model asked again for what had run when its stream broke, and got that result. */
  extend(about, { type: literal('call.reused'), of: string() }),
  /** The same call fails again and again. */
  extend(about, { type: literal('repetition.noticed'), name: string(), times: int() }),
  /** One response was paid for. `context` is how much of the window is in use. */
  extend(inTurn, {
    type: literal('usage.reported'),
    usage,
    total: usage,
    context: object({ tokens: int(), window: optional(int()) }),
  }),
  extend(inTurn, {
    type: literal('history.compacted'),
    /** `overflow`: the server refused it. `near-limit`: before that would happen. `asked`: the user wished it. */
    reason: oneOf(['overflow', 'near-limit', 'asked']),
    /** Estimated. */
    tokensBefore: int(),
    tokensAfter: int(),
  }),
  extend(inTurn, {
    type: literal('turn.finished'),
    /** `stopped`: by a limit, or because it went round in circles. */
    status: oneOf(['completed', 'interrupted', 'failed', 'stopped']),
    error: optional(turnError),
    /** Of this turn, and of the whole conversation. */
    usage,
    total: usage,
    requests: int(),
    costUsd: optional(number()),
  }),
  /** Something that a person should know and that stops nothing. */
  extend(stamp, { type: literal('warning.raised'), message: string() }),
]);
