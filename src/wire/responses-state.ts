/** What has been read of a stream of the Responses API: which items there were, and what is kept back. */
import type { JsonObject } from '../core/json-object.js';
import type { ModelEvent, ReplyItem } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { liftTextCalls } from './lift-text-calls.js';
import type { Step } from './protocol.js';
import { textIn } from './read-field.js';
import { readResponsesItem } from './responses-item.js';

export type ResponsesState = {
  /** Tools whose calls are looked for in texts; absent where that is not done, and once a real call has come. */
  readonly textCalls?: readonly string[];
  /** Whether anything that looks like an event has come, and whether the last one has. */
  readonly heard: boolean;
  readonly done: boolean;
  /** Of the items so far. */
  readonly ids: readonly string[];
  readonly items: number;
  /** Kept back until it is known whether calls are to be looked for in them. */
  readonly held: readonly ReplyItem[];
  /** Deltas of a message that is not done yet. */
  readonly text: string;
  /** What the last reasoning delta was of. */
  readonly part?: { readonly item: string; readonly key: string };
};

export function startResponses({ textToolCalls }: Dialect, toolNames: readonly string[]): ResponsesState {
  return {
    ...(textToolCalls && toolNames.length > 0 && { textCalls: toolNames }),
    heard: false,
    done: false,
    ids: [],
    items: 0,
    held: [],
    text: '',
  };
}

/** An item is done. One that has been here before is not repeated, and half a call is none. */
export function takeItem(state: ResponsesState, raw: JsonObject): Step<ResponsesState> {
  const item = readResponsesItem(raw);
  const id = idOf(raw);
  const isHalf = item.kind === 'call' && raw['status'] === 'incomplete';
  if (isHalf || (id !== undefined && state.ids.includes(id))) return { state, events: [] };
  const known: ResponsesState = {
    ...state,
    ids: id === undefined ? state.ids : [...state.ids, id],
    items: state.items + 1,
    text: item.kind === 'message' ? '' : state.text,
  };
  return item.kind === 'call' ? afterCall(known, item) : afterOther(known, item);
}

export function idOf(raw: JsonObject): string | undefined {
  return textIn(raw['id']) ?? textIn(raw['call_id']);
}

/** A model that makes calls does not write them. */
function afterCall(state: ResponsesState, item: ReplyItem): Step<ResponsesState> {
  const { textCalls: _none, ...rest } = state;
  return { state: { ...rest, held: [] }, events: [...state.held, item].map(asEvent) };
}

function afterOther(state: ResponsesState, item: ReplyItem): Step<ResponsesState> {
  const holds = state.textCalls !== undefined && (item.kind === 'message' || state.held.length > 0);
  return holds ? { state: { ...state, held: [...state.held, item] }, events: [] } : { state, events: [asEvent(item)] };
}

/** Nothing more will come: what was kept back, with the calls that are in it. */
export function releaseHeld(state: ResponsesState, response: string): readonly ModelEvent[] {
  return liftTextCalls(state.held, state.textCalls ?? [], response).map(asEvent);
}

function asEvent(item: ReplyItem): ModelEvent {
  return { kind: 'item', item };
}
