/** What has been read of a stream of the Responses API: which items there were, and what is kept back. */
import type { JsonObject } from '../core/json-object.js';
import type { ModelEvent, ReplyItem } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { liftTextCalls } from './lift-text-calls.js';
import type { Step } from './protocol.js';
import { textIn } from './read-field.js';
import { readResponsesItem } from './responses-item.js';
import { MOST_PARTS, tooManyParts } from './stream-ends.js';

export type ResponsesState = {
  /** Tools whose calls are looked for in texts; absent where that is not done, and once a real call has come. */
  readonly textCalls?: readonly string[];
  /** Whether anything that looks like an event has come, and whether the last one has. */
  readonly heard: boolean;
  readonly done: boolean;
  /** Whether an event came damaged. */
  readonly torn: boolean;
  /** The items so far. */
  readonly told: readonly Told[];
  /** Kept back until it is known whether calls are to be looked for in them. */
  readonly held: readonly ReplyItem[];
  /** Deltas of a message that is not done yet. */
  readonly text: string;
  /** What the last reasoning delta was of. */
  readonly part?: { readonly item: string; readonly key: string };
};

/** What an item is known by. */
type Told = { readonly type: unknown; readonly id?: string; readonly call?: string };

export function startResponses({ textToolCalls }: Dialect, toolNames: readonly string[]): ResponsesState {
  return {
    ...(textToolCalls && toolNames.length > 0 && { textCalls: toolNames }),
    heard: false,
    done: false,
    torn: false,
    told: [],
    held: [],
    text: '',
  };
}

/** An item is done. A call that has been here before is not repeated, and half a call is none. */
export function takeItem(state: ResponsesState, raw: JsonObject): Step<ResponsesState> {
  const item = readResponsesItem(raw);
  const isCall = item.kind === 'call';
  const told = marksOf(raw, isCall);
  const isHalf = isCall && raw['status'] === 'incomplete';
  if (isHalf || (told.call !== undefined && hasCall(state, told.call))) return { state, events: [] };
  if (state.told.length === MOST_PARTS) throw tooManyParts();
  const known: ResponsesState = {
    ...state,
    told: [...state.told, told],
    text: item.kind === 'message' ? '' : state.text,
  };
  return isCall ? afterCall(known, item) : afterOther(known, item);
}

/** There are servers that give all items of a kind one id; the id of a call is what its answer goes by. */
function marksOf(raw: JsonObject, isCall: boolean): Told {
  const id = textIn(raw['id']);
  const call = isCall ? (textIn(raw['call_id']) ?? id) : undefined;
  return { type: raw['type'], ...(id !== undefined && { id }), ...(call !== undefined && { call }) };
}

function hasCall({ told }: ResponsesState, call: string): boolean {
  return told.some((each) => each.call === call);
}

/**
 * Of the items that a response lists at its end, those that have not been told. There are servers that list them under
 * new ids, so a list that is no longer than what was told has nothing new.
 */
export function withoutTold(state: ResponsesState, listed: readonly JsonObject[]): readonly JsonObject[] {
  if (listed.length <= state.told.length) return [];
  const left = [...state.told];
  return listed.filter((raw) => {
    const at = left.findIndex(isLike(raw));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** By the id of the call; else the next of its kind and id, where one that came without an id may be any. */
function isLike(raw: JsonObject): (told: Told) => boolean {
  const id = textIn(raw['id']);
  const call = textIn(raw['call_id']);
  return (told) => {
    if (call !== undefined && told.call !== undefined) return told.call === call;
    return told.type === raw['type'] && (id === undefined || told.id === undefined || told.id === id);
  };
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
