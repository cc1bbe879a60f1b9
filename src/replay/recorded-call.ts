/** One call of a session: what the model asked for, what was asked and tried on the way, and how it ended. */
import type { ToolCall } from '../core/call.js';
import type { LineOf, SessionLine } from '../core/session-log.js';
import type { Draft } from './draft.js';

export type RecordedCall = {
  /** In its turn, from 1. */
  readonly number: number;
  readonly call: ToolCall;
  /** Which of the model's steps made it, from 0. */
  readonly step: number;
  /** What it is called here; absent until it begins. */
  readonly own?: string;
  /** Questions and attempts, in their order; those of calls that are a part of this one too. */
  readonly events: readonly CallEvent[];
  readonly settled?: LineOf<'call.settled'>;
};

export type CallEvent =
  | {
      readonly kind: 'question';
      readonly asked: LineOf<'question.asked'>;
      readonly decided?: LineOf<'question.decided'>;
    }
  | { readonly kind: 'attempt'; readonly intended: LineOf<'call.intended'> };

export function noteOfCall(call: Draft<RecordedCall>, line: SessionLine): void {
  switch (line.type) {
    case 'question.asked':
      return void call.events.push({ kind: 'question', asked: line });
    case 'question.decided':
      return decide(call, line);
    case 'call.intended':
      return void call.events.push({ kind: 'attempt', intended: line });
    case 'call.settled':
      if (line.callId === call.own) call.settled = line;
      return;
    default:
  }
}

function decide({ events }: Draft<RecordedCall>, decided: LineOf<'question.decided'>): void {
  const at = events.findIndex((event) => event.kind === 'question' && event.asked.id === decided.id);
  const event = events[at];
  if (event?.kind === 'question') events[at] = { ...event, decided };
}

/** Whether it came so far that it may have done something. */
export function wasTried({ events }: RecordedCall): boolean {
  return events.some(({ kind }) => kind === 'attempt');
}

/** Whether it ended because somebody stopped the turn, or has not ended at all: how far it came was chance. */
export function wasCutOff({ settled }: RecordedCall): boolean {
  return settled === undefined || (settled.outcome === 'aborted' && settled.by === 'signal');
}
