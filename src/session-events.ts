/** What of a runtime's events belongs into the file of a session. */
import type { RuntimeEvent } from './core/events.js';
import type { SessionLine } from './core/session-log.js';

export function lineOf(event: RuntimeEvent): SessionLine | undefined {
  const { at } = event;
  switch (event.type) {
    case 'approval.requested': {
      const { callId, id, command, title, reason } = event;
      return { type: 'question.asked', at, callId, id, title: command ?? title, reason };
    }
    case 'approval.decided': {
      const { callId, id = callId, decision, note } = event;
      return { type: 'question.decided', at, callId, id, decision, ...(note !== undefined && { note }) };
    }
    case 'plan.updated':
      return { type: 'plan.updated', plan: event.plan };
    case 'session.opened':
      return { type: 'program.left', callId: event.callId, session: event.session, argv: event.argv };
    case 'session.ended':
      return { type: 'program.ended', session: event.session };
    default:
      return undefined;
  }
}
