/** One turn of a session, in the order in which things happened; or that the user had the conversation told shorter. */
import type { JsonObject } from '../core/json-object.js';
import type { InputEntry, ReplyItem, Stop, Usage } from '../core/model.js';
import type { LineOf, SessionLine } from '../core/session-log.js';
import type { Draft } from './draft.js';
import type { RecordedCall } from './recorded-call.js';

export type RecordedAct = {
  readonly kind: 'turn' | 'shortening';
  /** Among those of its kind, from 1. */
  readonly number: number;
  /** What it ran with. */
  readonly settings?: LineOf<'settings.chosen'>;
  readonly started?: LineOf<'turn.started'>;
  /** Whether it was the first of another process: commands of before had ended. */
  readonly isRestart: boolean;
  /** What the user said: at the beginning, or when the model had taken this many steps. */
  readonly said: readonly { readonly entry: InputEntry; readonly afterSteps: number }[];
  /** What the model was told beside that. */
  readonly context: readonly InputEntry[];
  /** What it was last made of. */
  readonly snapshot?: JsonObject;
  /** As it was last shaped. */
  readonly request?: JsonObject;
  readonly steps: readonly ModelStep[];
  /** Of a response that has not been read to its end. */
  readonly items: readonly ReplyItem[];
  readonly calls: readonly RecordedCall[];
  readonly end?: LineOf<'turn.finished'>;
};

/** What a model gave for one request: a response, or a summary of all that was before it. */
export type ModelStep = ResponseStep | { readonly kind: 'summary'; readonly replaced: LineOf<'history.replaced'> };

export type ResponseStep = {
  readonly kind: 'response';
  readonly items: readonly ReplyItem[];
  /** Absent when it was broken off. */
  readonly stop?: Stop;
  readonly endTurn?: boolean;
  readonly usage?: Usage;
};

export function noteInAct(act: Draft<RecordedAct>, line: SessionLine): void {
  switch (line.type) {
    case 'entry.said':
      return say(act, line);
    case 'context.told':
      return void (act.snapshot = line.snapshot);
    case 'request.shaped':
      return void (act.request = line.request);
    case 'item.received':
      return receive(act, line.item as ReplyItem);
    case 'response.read':
      return endResponse(act, line);
    case 'history.replaced':
      return void act.steps.push({ kind: 'summary', replaced: line });
    case 'turn.finished':
      return void (act.end = line);
    default:
  }
}

function say(act: Draft<RecordedAct>, { origin, entry: said }: LineOf<'entry.said'>): void {
  const entry = said as InputEntry;
  if (origin === 'user') act.said.push({ entry, afterSteps: act.steps.length });
  if (origin === 'context') act.context.push(entry);
}

function receive({ items, calls, steps }: Draft<RecordedAct>, item: ReplyItem): void {
  items.push(item);
  if (item.kind === 'call') calls.push({ number: calls.length + 1, call: item.call, step: steps.length, events: [] });
}

function endResponse(act: Draft<RecordedAct>, { stop, endTurn, usage }: LineOf<'response.read'>): void {
  act.steps.push({
    kind: 'response',
    items: act.items,
    ...(stop !== undefined && { stop }),
    ...(endTurn !== undefined && { endTurn }),
    ...(usage && { usage }),
  });
  act.items = [];
}
