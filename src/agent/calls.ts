/** The calls of a conversation while they run: each under a name of its own, and on record. */
import type { ToolCall } from '../core/call.js';
import type { CallId } from '../core/ids.js';
import type { CallResult } from '../core/outcome.js';
import type { RunOptions } from './conversation-setup.js';
import { NOT_KEPT, callJournal, now } from './keeping.js';
import type { Keeping } from './keeping.js';
import { createOwnIds } from './own-ids.js';
import type { OwnIds, Reserve } from './own-ids.js';
import type { Started } from './reading.js';

export interface Calls {
  readonly ids: OwnIds;
  /** `known` is the name of a call that has one already. */
  start(call: ToolCall, way: CallWay, known?: CallId): Started;
  /** Resolves once none runs any more. */
  ended(): Promise<void>;
}

export type CallWay = Omit<RunOptions, 'journal'> & {
  readonly run: (call: ToolCall, options: RunOptions) => Promise<CallResult>;
  readonly reserve: Reserve;
};

export function createCalls(keeping: Keeping): Calls {
  const ids = createOwnIds();
  const running = new Set<Promise<unknown>>();

  return {
    ids,
    start(call, { run, reserve, signal, turn }, known) {
      const own = known === undefined ? ids.next(call.id, reserve) : ids.keep(known, reserve);
      if (known === undefined) keeping.append({ type: 'call.started', at: now(), id: call.id, callId: own });
      const asked = { ...call, id: own };
      const journal = keeping === NOT_KEPT ? {} : { journal: callJournal(asked, keeping) };
      const result = run(asked, { signal, turn, ...journal }).then(({ outcome, answer }) => ({
        outcome,
        answer: { ...answer, callId: call.id },
      }));
      const ended = result.catch(() => {}).finally(() => running.delete(ended));
      running.add(ended);
      return { call, own, result };
    },
    async ended() {
      await Promise.all(running);
    },
  };
}
