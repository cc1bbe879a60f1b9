/** From intent to permission: the judge decides, and where it cannot, somebody is asked. Everything else is no. */
import type { ApprovalRequest, Approver, Decision } from '../core/approval.js';
import type { ToolCall } from '../core/call.js';
import type { Grant, Intent, Judge, Verdict } from '../core/effects.js';
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { Emit, EventBody } from '../core/events.js';
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

export type Plea = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  readonly cwd: string;
  /** Rights that a first attempt was proven to lack. */
  readonly missing: readonly Grant[];
  readonly cancellation: Cancellation;
};

/** Resolves to how the call may run; throws `Rejected` or `Aborted` when it may not. */
export async function authorize(plea: Plea, authority: Authority): Promise<{ readonly confined: boolean }> {
  const verdict = authority.judge(plea.intent, plea.missing);
  authority.emit(verdictEvent(plea, verdict));
  switch (verdict.kind) {
    case 'allow':
      return { confined: verdict.confined };
    case 'deny':
      throw new Rejected('policy', verdict.reason);
    case 'ask':
      await ask(plea, verdict, authority);
      return { confined: verdict.thenConfined };
  }
}

async function ask(plea: Plea, verdict: Extract<Verdict, { kind: 'ask' }>, authority: Authority): Promise<void> {
  const { call, intent, presentation, cwd, missing, cancellation } = plea;
  const { memory, emit } = authority;
  const request: ApprovalRequest = {
    call,
    intent,
    presentation,
    cwd,
    reason: verdict.reason,
    rule: verdict.rule,
    confined: verdict.thenConfined,
    missing,
  };
  const remembered = memory.has(request);
  const decision = remembered ? ({ kind: 'session' } as const) : await question(request, cancellation, authority);
  const note = decision.kind === 'deny' ? decision.note : undefined;
  emit({ type: 'approval.decided', callId: call.id, decision: decision.kind, note, remembered });
  if (decision.kind === 'session') memory.add(request);
  if (decision.kind === 'abort') throw new Aborted();
  if (decision.kind === 'deny') throw refusal(request, note, authority);
}

async function question(
  request: ApprovalRequest,
  cancellation: Cancellation,
  { approve, emit }: Authority,
): Promise<Decision> {
  const { call, presentation, reason, confined } = request;
  emit({ type: 'approval.requested', callId: call.id, ...presentation, reason, confined });
  if (!approve) return { kind: 'deny', note: 'nobody is there to answer' };
  try {
    return knownDecision(await cancellation.unlessAborted(() => approve(request, cancellation.signal)));
  } catch (error) {
    if (error instanceof Aborted) throw error;
    return { kind: 'deny', note: `the approver failed: ${messageOf(error)}` };
  }
}

/** An approver is the embedder's code: an answer that is none of the known ones is not a yes. */
function knownDecision(decision: Decision | undefined): Decision {
  switch (decision?.kind) {
    case 'once':
    case 'session':
    case 'deny':
    case 'abort':
      return decision;
    default:
      return { kind: 'deny', note: 'the approver gave no usable answer' };
  }
}

function refusal({ reason }: ApprovalRequest, note: string | undefined, { approve }: Authority): Rejected {
  if (!approve) return new Rejected('policy', `${reason}. This needs an approval, and nobody is there to give it.`);
  if (note) return new Rejected('user', `rejected by user: ${note}`);
  return new Rejected(
    'user',
    'rejected by user. Do not try the same by other means; propose something else or ask what is wanted.',
  );
}

function verdictEvent({ call, intent }: Plea, verdict: Verdict): EventBody {
  return {
    type: 'verdict.reached',
    callId: call.id,
    verdict: verdict.kind,
    confined: verdict.kind === 'allow' ? verdict.confined : verdict.kind === 'ask' && verdict.thenConfined,
    reason: verdict.kind === 'allow' ? undefined : verdict.reason,
    rule: verdict.rule,
    effects: intent.effects,
  };
}
