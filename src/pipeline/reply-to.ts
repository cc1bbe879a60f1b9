/** Puts one question to whoever is there, and makes of the answer only what the question had on offer. */
import type { ApprovalRequest, Approver, Decision, PendingApproval } from '../core/approval.js';
import type { Emit, EventBody } from '../core/events.js';
import type { PendingApprovals, Reply } from './pending-approvals.js';

/** Who is asked. */
export type Asked = {
  /** Absent when nobody is there to answer: every question is then a no. */
  readonly approve: Approver | undefined;
  readonly pending: PendingApprovals;
  readonly emit: Emit;
};

/** `known` is a reply for which nobody has to be asked. */
export async function replyTo(
  request: ApprovalRequest,
  signal: AbortSignal,
  asked: Asked,
  known?: Reply,
): Promise<Reply> {
  const reply = known ?? (await putQuestion(request, signal, asked));
  const heeded = { ...reply, decision: asOffered(reply.decision, request) };
  asked.emit(decidedEvent(request, heeded));
  return heeded;
}

async function putQuestion(
  request: ApprovalRequest,
  signal: AbortSignal,
  { approve, pending, emit }: Asked,
): Promise<Reply> {
  const announce = (asked: Announced): void => emit(requestedEvent(asked));
  if (approve) return pending.ask(request, { approve, signal, announce });
  const { id } = request.call;
  announce({ id, request });
  return { id, by: 'nobody', decision: { kind: 'deny' }, unanswered: 'nobody is there to give it' };
}

/** Of what was not on offer, the nearest that is no more than that. */
function asOffered(decision: Decision, { proposal, previewable, onlyOnce }: ApprovalRequest): Decision {
  switch (decision.kind) {
    case 'session':
      return onlyOnce === true ? { kind: 'once' } : decision;
    case 'always':
      if (onlyOnce === true) return { kind: 'once' };
      // Without a rule to keep, "always" lasts as long as the session.
      return proposal === undefined ? { kind: 'session' } : decision;
    case 'preview':
      return previewable === true ? decision : { kind: 'deny', note: NO_PREVIEW };
    default:
      return decision;
  }
}

const NO_PREVIEW = 'they wanted to see it run on a copy first, and that cannot be done with this call';

type Announced = Omit<PendingApproval, 'askedAt'>;

function requestedEvent({ id, request, deadline }: Announced): EventBody {
  const { call, presentation, reason, rule, permission, proposal, previewable, onlyOnce } = request;
  const { title, command, diff } = presentation;
  const what = { title, command, diff, reason, rule, ...permission, proposal, previewable, onlyOnce };
  return { type: 'approval.requested', callId: call.id, id, deadline, ...what };
}

function decidedEvent({ call }: ApprovalRequest, { id, by, decision, unanswered }: Reply): EventBody {
  const note = unanswered ?? (decision.kind === 'deny' ? decision.note : undefined);
  return { type: 'approval.decided', callId: call.id, id, decision: decision.kind, note, by };
}
