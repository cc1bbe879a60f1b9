/** Whoever was asked answers as they did when the session was recorded. */
import type { Approver, Decision } from '../core/approval.js';
import type { LineOf } from '../core/session-log.js';
import type { CallEvent } from './recorded-call.js';
import type { SessionRecord } from './session-record.js';

/** Undefined when nobody was there to answer. A question that was not asked then is a no. */
export function recordedAnswers(record: SessionRecord): Approver | undefined {
  const answers = new Map([...record.calls].map(([own, { events }]) => [own, events.flatMap(decisionIn)]));
  if (![...record.calls.values()].some(({ events, settled }) => events.some(isAnswered) && settled?.by !== 'policy'))
    return undefined;
  return ({ call }) => Promise.resolve(answers.get(call.id)?.shift() ?? NOT_ASKED_THEN);
}

const NOT_ASKED_THEN: Decision = { kind: 'deny', note: 'this was not asked when the session was recorded' };

function isAnswered(event: CallEvent): boolean {
  return decisionIn(event).length > 0;
}

function decisionIn(event: CallEvent): Decision[] {
  return event.kind === 'question' && event.decided ? [decisionOf(event.decided)] : [];
}

function decisionOf({ decision, note }: LineOf<'question.decided'>): Decision {
  if (decision !== 'deny') return { kind: decision };
  return { kind: 'deny', ...(note !== undefined && { note }) };
}
