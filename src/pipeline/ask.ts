/** From a question to a permit: an earlier yes, or somebody's answer. Everything else is no. */
import type { ApprovalRequest, KeepRules } from '../core/approval.js';
import type { ToolCall } from '../core/call.js';
import { isPatch } from '../core/effects.js';
import type { Intent, Verdict } from '../core/effects.js';
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { Presentation } from '../core/tool.js';
import type { Cancellation } from './cancel.js';
import type { Reply } from './pending-approvals.js';
import { canPreview } from './previewable.js';
import type { Permit, Preview } from './previewable.js';
import type { ApprovalMemory } from './remember.js';
import { replyTo } from './reply-to.js';
import type { Asked } from './reply-to.js';

/** Who is asked, who takes note of the answer, and what it can be. */
export type Answerers = Asked & {
  readonly memory: ApprovalMemory;
  /** Absent when no rule can be kept: "always" is then not on offer. */
  readonly keep: KeepRules | undefined;
  /** Absent when nothing can be run on a copy: "preview" is then not on offer. */
  readonly preview: Preview | undefined;
};

/** What is asked about. */
export type Subject = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  readonly cancellation: Cancellation;
};

export type Question = Extract<Verdict, { kind: 'ask' }>;

/** Resolves to how the call may run; throws `Rejected` or `Aborted` when it may not. */
export async function ask(subject: Subject, question: Question, answerers: Answerers): Promise<Permit> {
  const { memory } = answerers;
  const request = requestFor(subject, question, answerers);
  const approvable = { ...request, keys: question.keys };
  const known = memory.covers(approvable) ? REMEMBERED : undefined;
  const reply = await replyTo(request, subject.cancellation.signal, answerers, known);
  const { kind } = throwIfRefused(reply, refusalsOf(question, request.intent));
  if (kind === 'session' || kind === 'always') memory.add(approvable);
  if (kind === 'always') await subject.cancellation.unlessAborted(() => keepRules(request, answerers));
  return { ...request.permission, preview: kind === 'preview', harmless: false };
}

/** The same for a question whose answer holds for this once: nothing remembers it, and nothing answers it but somebody. */
export async function askOnce(
  subject: Subject,
  question: Omit<Question, 'kind' | 'proposal' | 'keys'>,
  asked: Asked,
  refusals: Refusals = refusalsOf(question, subject.intent),
): Promise<void> {
  const { call, intent, presentation, cancellation } = subject;
  const { reason, rule, confined, grants } = question;
  const request = { call, intent, presentation, reason, rule, permission: { confined, grants }, onlyOnce: true };
  throwIfRefused(await replyTo(request, cancellation.signal, asked), refusals);
}

const REMEMBERED: Reply = { by: 'memory', decision: { kind: 'session' } };

function requestFor(
  { call, intent, presentation }: Subject,
  { reason, rule, findings, confined, grants, proposal = [] }: Question,
  { keep, preview }: Answerers,
): ApprovalRequest {
  const permission = { confined, grants };
  return {
    call,
    intent,
    presentation,
    reason,
    rule,
    permission,
    ...(findings && { findings }),
    ...(keep && proposal.length > 0 && { proposal }),
    ...(preview && canPreview(intent, permission) && { previewable: true }),
  };
}

/** What a model reads after a no. */
export type Refusals = {
  readonly byUser: (note: string | undefined) => string;
  readonly unanswered: (why: string) => string;
};

type Yes = Exclude<Reply['decision'], { kind: 'deny' | 'abort' }>;

function throwIfRefused({ by, decision, unanswered }: Reply, refusals: Refusals): Yes {
  if (decision.kind === 'abort') throw new Aborted({ by: by === 'deadline' ? 'deadline' : 'user' });
  if (decision.kind !== 'deny') return decision;
  throw unanswered === undefined
    ? new Rejected('user', refusals.byUser(decision.note === '' ? undefined : decision.note))
    : new Rejected('policy', refusals.unanswered(unanswered));
}

function refusalsOf(question: Pick<Question, 'reason' | 'instead'>, intent: Intent): Refusals {
  return {
    byUser: (note) => denialText(intent, note),
    unanswered: (why) => unansweredText(question, why),
  };
}

/** Begins in the words a model knows for what it wanted to do. */
function denialText(intent: Intent, note: string | undefined): string {
  const runsCommand = intent.effects.some(({ kind }) => kind === 'exec');
  const what = runsCommand ? 'exec command ' : isPatch(intent) ? 'patch ' : '';
  return note === undefined ? `${what}rejected by user. ${AFTER_A_NO}` : `${what}rejected by user: ${note}`;
}

export const AFTER_A_NO = 'Do not try the same by other means; propose something else or ask what is wanted.';

function unansweredText({ reason, instead }: Pick<Question, 'reason' | 'instead'>, why: string): string {
  const told = `${reason.replace(/[.?!]$/, '')}. This needs an approval, and ${why}.`;
  return instead === undefined ? told : `${told} ${instead}`;
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
