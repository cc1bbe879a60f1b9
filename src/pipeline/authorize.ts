/** From intent to permission: the judge decides, and where it cannot, somebody is asked. Everything else is no. */
import type { ApprovalRequest, Approver, Decision } from '../core/approval.js';
import type { ToolCall } from '../core/call.js';
import type { Grant, Intent, Judge, Permission, Verdict } from '../core/effects.js';
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { Emit, EventBody } from '../core/events.js';
import { isJsonObject } from '../core/json-object.js';
import type { Presentation } from '../core/tool.js';
import type { Cancellation } from './cancel.js';
import type { ApprovalMemory } from './remember.js';

export type Authority = {
  readonly judge: Judge;
  /** Absent when nobody is there to answer: every question is then a no. */
  readonly approve: Approver | undefined;
  readonly memory: ApprovalMemory;
  readonly emit: Emit;
};

export type AuthorizationRequest = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  /** Rights that a first attempt was proven to lack. */
  readonly missing: readonly Grant[];
  readonly cancellation: Cancellation;
};

/** Resolves to how the call may run; throws `Rejected` or `Aborted` when it may not. */
export async function authorize(request: AuthorizationRequest, authority: Authority): Promise<Permission> {
  const verdict = await reachVerdict(request, authority.judge);
  authority.emit(verdictEvent(request, verdict));
  switch (verdict.kind) {
    case 'allow':
      return { confined: verdict.confined, grants: verdict.grants };
    case 'deny':
      throw new Rejected('policy', verdict.reason);
    case 'ask':
      return ask(request, verdict, authority);
  }
}

/** A policy that crashes, or says something that cannot be understood, has not said yes. */
async function reachVerdict({ intent, missing, cancellation }: AuthorizationRequest, judge: Judge): Promise<Verdict> {
  try {
    const verdict: unknown = await cancellation.unlessAborted(() => judge(intent, missing));
    return isVerdict(verdict) ? verdict : policyFailed('it gave no usable verdict');
  } catch (error) {
    if (error instanceof Aborted) throw error;
    return policyFailed(messageOf(error));
  }
}

function isVerdict(value: unknown): value is Verdict {
  if (!isJsonObject(value) || !isJsonObject(value['rule'])) return false;
  if (value['kind'] === 'deny') return typeof value['reason'] === 'string';
  if (typeof value['confined'] !== 'boolean' || !Array.isArray(value['grants'])) return false;
  return value['kind'] === 'allow' || value['kind'] === 'ask';
}

function policyFailed(why: string): Verdict {
  const reason = `the policy failed: ${why}. To be safe, the call was not run.`;
  return { kind: 'deny', reason, rule: { name: 'policy-failed' } };
}

async function ask(
  { call, intent, presentation, cancellation }: AuthorizationRequest,
  { reason, rule, confined, grants }: Extract<Verdict, { kind: 'ask' }>,
  authority: Authority,
): Promise<Permission> {
  const permission = { confined, grants };
  const request: ApprovalRequest = { call, intent, presentation, reason, rule, permission };
  const remembered = authority.memory.has(request);
  const reply: Reply = remembered ? { kind: 'session' } : await question(request, cancellation, authority);
  authority.emit(decidedEvent(call, reply, remembered));
  switch (reply.kind) {
    case 'once':
      return permission;
    case 'always':
    case 'session':
      authority.memory.add(request);
      return permission;
    case 'abort':
      throw new Aborted({ by: 'user' });
    case 'deny':
      throw new Rejected('user', denialText(reply.note));
    case 'unanswered':
      throw new Rejected('policy', `${reason}. This needs an approval, and ${reply.why}.`);
  }
}

/** What came of a question: a decision, or none. */
type Reply = Decision | { readonly kind: 'unanswered'; readonly why: string };

async function question(
  request: ApprovalRequest,
  cancellation: Cancellation,
  { approve, emit }: Authority,
): Promise<Reply> {
  emit(requestedEvent(request));
  if (!approve) return { kind: 'unanswered', why: 'nobody is there to give it' };
  try {
    return knownDecision(await cancellation.unlessAborted(() => approve(request, cancellation.signal)));
  } catch (error) {
    if (error instanceof Aborted) throw error;
    return { kind: 'unanswered', why: `the approver failed: ${messageOf(error)}` };
  }
}

/** An approver is the embedder's code: an answer that is none of the known ones is not a yes. */
function knownDecision(decision: Decision | undefined): Reply {
  switch (decision?.kind) {
    case 'once':
    case 'session':
    case 'always':
    case 'deny':
    case 'abort':
      return decision;
    default:
      return { kind: 'unanswered', why: 'the approver gave no usable answer' };
  }
}

function denialText(note: string | undefined): string {
  return note === undefined || note === ''
    ? 'rejected by user. Do not try the same by other means; propose something else or ask what is wanted.'
    : `rejected by user: ${note}`;
}

function verdictEvent({ call, intent }: AuthorizationRequest, verdict: Verdict): EventBody {
  return {
    type: 'verdict.reached',
    callId: call.id,
    verdict: verdict.kind,
    confined: verdict.kind !== 'deny' && verdict.confined,
    reason: verdict.kind === 'allow' ? undefined : verdict.reason,
    rule: verdict.rule,
    effects: intent.effects,
    findings: verdict.findings,
  };
}

function requestedEvent({ call, presentation, reason, rule, permission }: ApprovalRequest): EventBody {
  const { title, command, diff } = presentation;
  return { type: 'approval.requested', callId: call.id, title, command, diff, reason, rule, ...permission };
}

function decidedEvent(call: ToolCall, reply: Reply, remembered: boolean): EventBody {
  const note = reply.kind === 'unanswered' ? reply.why : reply.kind === 'deny' ? reply.note : undefined;
  const decision = reply.kind === 'unanswered' ? 'deny' : reply.kind;
  return { type: 'approval.decided', callId: call.id, decision, note, remembered };
}
