/** The end of a turn: on record, told to whoever listens, and handed to whoever waits. */
import { messageOf } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import type { Usage } from '../core/model.js';
import type { TurnResult, UserInput } from '../core/turn.js';
import { TURN_ABORTED } from './entries.js';
import type { History } from './history.js';
import { now } from './keeping.js';
import type { Keeping } from './keeping.js';
import type { Meter } from './limits.js';

export type EndedTurn = {
  readonly turn: string;
  readonly end: Pick<TurnResult, 'status' | 'message' | 'error'>;
  readonly meter: Meter;
  /** Of the whole conversation. */
  readonly total: Usage;
  readonly unheard: readonly UserInput[];
};

type FinishingParts = { readonly history: History; readonly keeping: Keeping; readonly emit: Emit };

export async function finishTurn(ended: EndedTurn, parts: FinishingParts): Promise<TurnResult> {
  const { turn, end, meter, total, unheard } = ended;
  const { usage, requests, costUsd } = meter;
  const counts = { usage, total, requests, ...(costUsd !== undefined && { costUsd }) };
  const { status, error } = end;
  await writeEnd(ended, parts);
  parts.emit({ type: 'turn.finished', turn, status, ...(error && { error }), ...counts });
  return { turn, ...end, ...counts, ...(unheard.length > 0 && { unheard }) };
}

/** The turn has ended whether that can be written or not. */
async function writeEnd({ turn, end }: EndedTurn, { history, keeping, emit }: FinishingParts): Promise<void> {
  try {
    if (end.status === 'interrupted' || end.status === 'stopped') history.say(TURN_ABORTED, 'turn');
    keeping.append({ type: 'turn.finished', at: now(), turn, ...end });
    await keeping.durable();
  } catch (error) {
    emit({ type: 'warning.raised', message: `the end of the turn could not be written down: ${messageOf(error)}` });
  }
}
