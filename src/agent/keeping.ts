/** How a conversation is written down: by lines that are there before anything else happens. */
import type { ToolCall } from '../core/call.js';
import type { Journal } from '../core/journal.js';
import type { Outcome } from '../core/outcome.js';
import type { LineOf, SessionLog } from '../core/session-log.js';
import type { History } from './history.js';

/** Throws when a line cannot be written; the turn then ends, because what is not on record would be lost. */
export type Keeping = Pick<SessionLog, 'append' | 'durable'>;

export const NOT_KEPT: Keeping = { append: () => {}, durable: () => Promise.resolve() };

export function now(): string {
  return new Date().toISOString();
}

/** The same history; what is said and what is told shorter is on record first. Replies and answers are not its business. */
export function keptHistory(history: History, { append }: Keeping): History {
  return {
    ...history,
    get entries() {
      return history.entries;
    },
    get open() {
      return history.open;
    },
    say(entry, origin) {
      append({ type: 'entry.said', origin, entry });
      history.say(entry, origin);
    },
  };
}

/** For the call as the model made it: what hooks made of it is on record too, where that is something else. */
export function callJournal(asked: ToolCall, { append, durable }: Keeping): Journal {
  return {
    async intended({ call, intent, attempt, confined, grants }) {
      const { payload } = call;
      append({
        type: 'call.intended',
        at: now(),
        callId: call.id,
        attempt,
        confined,
        grants: [...grants],
        effects: [...intent.effects],
        ...(isPart(call, asked) || payload !== asked.payload ? { payload } : {}),
      });
      await durable();
    },
    async settled({ id }, { outcome, answer }) {
      append({ type: 'call.settled', at: now(), callId: id, outcome: outcome.kind, ...endedBy(outcome), answer });
      // While the model is told: after a power cut before that, the call is one that was interrupted. What the disk will
      // not take stops the next line, and with it whatever would come of the answer.
      durable().catch(() => {});
    },
  };
}

function isPart(call: ToolCall, asked: ToolCall): boolean {
  return call.id !== asked.id;
}

function endedBy(outcome: Outcome): Pick<LineOf<'call.settled'>, 'by'> {
  return 'by' in outcome ? { by: outcome.by } : {};
}
