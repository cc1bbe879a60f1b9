/** From a question of the policy to a permission: an earlier yes, or somebody's answer. Everything else is no. */
import type { ApprovalRequest, Approver, KeepRules, PendingApproval } from '../core/approval.js';
import type { ToolCall } from '../core/call.js';
import type { Intent, Permission, Verdict } from '../core/effects.js';
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { Emit, EventBody } from '../core/events.js';
import type { Presentation } from '../core/tool.js';
import type { Cancellation } from './cancel.js';
import type { PendingApprovals, Reply } from './pending-approvals.js';
import type { ApprovalMemory } from './remember.js';

/** Who is asked, and who takes note of the answer. */
export type Answerers = {
  /** Absent when nobody is there to answer: every question is then a no. */
  readonly approve: Approver | undefined;
  readonly pending: PendingApprovals;
  readonly memory: ApprovalMemory;
  /** Absent when no rule can be kept: "always" is then not on offer. */
  readonly keep: KeepRules | undefined;
  readonly emit: Emit;
};

/** What is asked about. */
export type Subject = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  readonly cancellation: Cancellation;
};

type Question = Extract<Verdict, { kind: 'ask' }>;

/** Resolves to how the call may run; throws `Rejected` or `Aborted` when it may not. */
export async function ask(subject: Subject, question: Question, answerers: Answerers): Promise<Permission> {
  const { memory, emit } = answerers;
  const request = requestFor(subject, question, answerers.keep !== undefined);
  const approvable = { ...request, keys: question.keys };
  const { signal } = subject.cancellation;
  const reply = memory.covers(approvable) ? REMEMBERED : await replyTo(request, signal, answerers);
  emit(decidedEvent(request, reply));
  const { decision, unanswered } = reply;
  switch (decision.kind) {
    case 'once':
      return request.permission;
    case 'session':
      memory.add(approvable);
      return request.permission;
    case 'always':
      memory.add(approvable);
      await subject.cancellation.unlessAborted(() => keepRules(request, answerers));
      return request.permission;
    case 'abort':
      throw new Aborted({ by: reply.by === 'deadline' ? 'deadline' : 'user' });
    case 'deny':
      throw unanswered === undefined
        ? new Rejected('user', denialText(request.intent, decision.note))
        : new Rejected('policy', unansweredText(question, unanswered));
  }
}

const REMEMBERED: Reply = { by: 'memory', decision: { kind: 'session' } };

function requestFor(
  { call, intent, presentation }: Subject,
  { reason, rule, findings, confined, grants, proposal = [] }: Question,
  canKeep: boolean,
): ApprovalRequest {
  return {
    call,
    intent,
    presentation,
    reason,
    rule,
    permission: { confined, grants },
    ...(findings && { findings }),
    ...(canKeep && proposal.length > 0 && { proposal }),
  };
}

async function replyTo(
  request: ApprovalRequest,
  signal: AbortSignal,
  { approve, pending, emit }: Answerers,
): Promise<Reply> {
  if (!approve) {
    emit(requestedEvent({ id: request.call.id, request }));
    const id = request.call.id;
    return { id, by: 'nobody', decision: { kind: 'deny' }, unanswered: 'nobody is there to give it' };
  }
  const announce = (asked: PendingApproval): void => emit(requestedEvent(asked));
  const reply = await pending.ask(request, { approve, signal, announce });
  // Without a rule to keep, "always" lasts as long as the session.
  const empty = reply.decision.kind === 'always' && request.proposal === undefined;
  return empty ? { ...reply, decision: { kind: 'session' } } : reply;
}

/** Never throws: the call itself was approved. What came of it is told even if the call no longer waits for it. */
async function keepRules({ call, proposal = [] }: ApprovalRequest, { keep, emit }: Answerers): Promise<void> {
  try {
    const kept = (await keep?.(proposal)) ?? [];
    const rules = kept.map(({ name, file, line }) => ({ name, file, line }));
    emit({ type: 'rule.saved', callId: call.id, rules });
  } catch (error) {
    emit({ type: 'rule.refused', callId: call.id, reason: messageOf(error) });
  }
}

function unansweredText({ reason, instead }: Question, why: string): string {
  const told = `${reason.replace(/[.?!]$/, '')}. This needs an approval, and ${why}.`;
  return instead === undefined ? told : `${told} ${instead}`;
}

/** Begins in the words a model knows for what it wanted to do. */
function denialText({ effects }: Intent, note: string | undefined): string {
  const what = effects.some(({ kind }) => kind === 'exec')
    ? 'exec command '
    : effects.some((effect) => effect.kind === 'write' && effect.diff !== undefined)
      ? 'patch '
      : '';
  return note === undefined || note === ''
    ? `${what}rejected by user. Do not try the same by other means; propose something else or ask what is wanted.`
    : `${what}rejected by user: ${note}`;
}

function requestedEvent({ id, request, deadline }: Omit<PendingApproval, 'askedAt'>): EventBody {
  const { call, presentation, reason, rule, permission, proposal } = request;
  const { title, command, diff } = presentation;
  const what = { title, command, diff, reason, rule, ...permission, proposal };
  return { type: 'approval.requested', callId: call.id, id, deadline, ...what };
}

function decidedEvent({ call }: ApprovalRequest, { id, by, decision, unanswered }: Reply): EventBody {
  const note = unanswered ?? (decision.kind === 'deny' ? decision.note : undefined);
  return { type: 'approval.decided', callId: call.id, id, decision: decision.kind, note, by };
}
