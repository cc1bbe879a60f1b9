/**
 * The questions that are open. The approver, somebody elsewhere, the deadline and a cancelled call can each end one;
 * the first does, in one place, and from then on nothing else is heard.
 */
import { DEFAULT_DEADLINE } from '../core/approval.js';
import type {
  ApprovalDeadline,
  ApprovalRequest,
  Approvals,
  Approver,
  Decision,
  PendingApproval,
} from '../core/approval.js';
import { Aborted, messageOf } from '../core/errors.js';
import { isJsonObject } from '../core/json-object.js';
import { inWords, startTimer } from './deadline.js';

export interface PendingApprovals extends Approvals {
  /** Resolves to the first reply; throws `Aborted` when the call is cancelled before there is one. */
  ask(request: ApprovalRequest, asking: Asking): Promise<Reply>;
}

type Asking = {
  readonly approve: Approver;
  readonly signal: AbortSignal;
  /** Hears of the question once it can be answered. */
  readonly announce: (pending: PendingApproval) => void;
};

/** What came of a question. `unanswered` says why nobody decided; it is then a no. */
export type Reply = {
  /** Of the question; absent when none had to be asked. */
  readonly id?: string;
  readonly by: 'approver' | 'elsewhere' | 'deadline' | 'memory' | 'nobody';
  readonly decision: Decision;
  readonly unanswered?: string;
};

export function createPendingApprovals(limit: ApprovalDeadline = DEFAULT_DEADLINE): PendingApprovals {
  checkDeadline(limit);
  const open = new Map<string, Question>();
  const used = new Set<string>();

  /** No id is used twice: an answer that comes late must not meet the next question of the same call. */
  function newId(wanted: string): string {
    let id = wanted;
    for (let number = 2; used.has(id); number += 1) id = `${wanted}#${number}`;
    used.add(id);
    return id;
  }

  return {
    list: () => [...open.values()].map((question) => question.pending),
    answer(id, decision) {
      const known = knownDecision(decision);
      if (!known) throw new TypeError('a decision is one of once, preview, session, always, deny and abort');
      return open.get(id)?.end({ by: 'elsewhere', decision: known }, 'it was answered elsewhere') ?? false;
    },
    async ask(request, { approve, signal, announce }) {
      if (signal.aborted) throw new Aborted();
      const question = openQuestion(pendingSince(new Date(), newId(request.call.id), request, limit));
      const { pending, over } = question;
      open.set(pending.id, question);
      over.addEventListener('abort', () => open.delete(pending.id));
      endOnCancel(question, signal);
      endOnDeadline(question, limit);
      announce(pending);
      if (!over.aborted) void endOnAnswer(question, approve);
      const result = await question.result;
      if (result instanceof Aborted) throw result;
      return { ...result, id: pending.id };
    },
  };
}

/** Checked although it is typed: a deadline must never be a yes. */
function checkDeadline({ ms, decision }: ApprovalDeadline): void {
  if (typeof ms !== 'number' || !(ms > 0)) {
    throw new RangeError(`the deadline of approvals is a positive number of milliseconds, not ${String(ms)}`);
  }
  if (decision !== 'deny' && decision !== 'abort') {
    throw new RangeError(`after the deadline of approvals comes deny or abort, not ${String(decision)}`);
  }
}

/** The embedder's code and other programs decide: an answer that is none of the known ones is not a yes. */
function knownDecision(value: unknown): Decision | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, note } = value;
  switch (kind) {
    case 'once':
    case 'preview':
    case 'session':
    case 'always':
    case 'abort':
      return { kind };
    case 'deny':
      if (note === undefined) return { kind };
      return typeof note === 'string' ? { kind, note } : undefined;
    default:
      return undefined;
  }
}

function pendingSince(now: Date, id: string, request: ApprovalRequest, { ms }: ApprovalDeadline): PendingApproval {
  const end = new Date(now.getTime() + ms);
  // What no calendar holds is as good as never.
  const deadline = Number.isNaN(end.getTime()) ? undefined : end.toISOString();
  return { id, request, askedAt: now.toISOString(), ...(deadline !== undefined && { deadline }) };
}

interface Question {
  readonly pending: PendingApproval;
  readonly result: Promise<Reply | Aborted>;
  /** Fires when the question has ended; everything that waits with it lets go. */
  readonly over: AbortSignal;
  /** Ends it, and tells `why` to whoever is still asked. False when it had ended before. */
  end(result: Reply | Aborted, why: string): boolean;
}

function openQuestion(pending: PendingApproval): Question {
  const over = new AbortController();
  let settle: (result: Reply | Aborted) => void = () => {};
  const settled = new Promise<Reply | Aborted>((resolve) => {
    settle = resolve;
  });
  return {
    pending,
    result: settled,
    over: over.signal,
    end(result, why) {
      if (over.signal.aborted) return false;
      settle(result);
      over.abort(new Error(why));
      return true;
    },
  };
}

function endOnCancel(question: Question, signal: AbortSignal): void {
  const cancel = (): void => void question.end(new Aborted(), 'the call was cancelled');
  signal.addEventListener('abort', cancel, { once: true, signal: question.over });
}

function endOnDeadline(question: Question, { ms, decision }: ApprovalDeadline): void {
  const stop = startTimer(ms, () => {
    const unanswered = `nobody answered within ${inWords(ms)}`;
    question.end({ by: 'deadline', decision: { kind: decision }, unanswered }, unanswered);
  });
  question.over.addEventListener('abort', stop);
}

/** An approver that fails has not said yes, and nobody need wait any longer for it. */
async function endOnAnswer(question: Question, approve: Approver): Promise<void> {
  try {
    const decision = knownDecision(await approve(question.pending.request, question.over));
    if (decision) question.end({ by: 'approver', decision }, 'it was answered');
    else endUnanswered(question, 'the approver gave no usable answer');
  } catch (error) {
    endUnanswered(question, `the approver failed: ${messageOf(error)}`);
  }
}

function endUnanswered(question: Question, unanswered: string): void {
  question.end({ by: 'nobody', decision: { kind: 'deny' }, unanswered }, unanswered);
}
