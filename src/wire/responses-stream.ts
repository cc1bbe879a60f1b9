/**
 * The stream of the Responses API, event by event. Items count when they are done; what the last event lists and nobody had
 * announced counts too, because there are servers that only list. So an event that came damaged is made up for by that list;
 * without one, it may have been an item.
 */
import { parseJson } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import type { ModelEvent, Stop } from '../core/model.js';
import type { ServerEvent } from '../core/server-event.js';
import { streamFailure } from './failure.js';
import type { Step } from './protocol.js';
import { objectIn, objectsIn, textIn } from './read-field.js';
import { REASONING_BREAK } from './responses-item.js';
import { releaseHeld, takeItem, withoutTold } from './responses-state.js';
import type { ResponsesState } from './responses-state.js';
import { readError, readErrorBody } from './server-words.js';
import { closedTooEarly, isTorn, noStream, tornPiece } from './stream-ends.js';
import { readUsage } from './usage.js';

export function stepResponses(state: ResponsesState, event: ServerEvent): Step<ResponsesState> {
  const { name = '' } = event;
  if (state.done) return { state, events: [] };
  // Most of a stream tells in pieces what the items tell when they are done.
  if (name.startsWith('response.') && !READERS.has(name)) return { state: heard(state), events: [] };
  if (name === 'error') throw streamFailure(readErrorBody(event.data));
  const parsed = parseJson(event.data);
  if (parsed === undefined && isTorn(event.data)) return { state: { ...state, torn: true }, events: [] };
  const value = objectIn(parsed);
  const type = value && (textIn(value['type']) ?? textIn(name) ?? (value['error'] === undefined ? '' : 'error'));
  if (value === undefined || type === undefined || type === '') return { state, events: [] };
  const read = READERS.get(type);
  return read === undefined ? { state: heard(state), events: [] } : read(heard(state), value);
}

export function endResponses(state: ResponsesState): readonly ModelEvent[] {
  if (state.done) return [];
  throw state.heard ? closedTooEarly() : noStream();
}

/** A response in one piece says what the last event of a stream says. */
export function wholeResponses(body: JsonObject, state: ResponsesState): readonly ModelEvent[] {
  if (!body['error'] && !Array.isArray(body['output'])) throw noStream();
  return complete(state, { response: body }).events;
}

function heard(state: ResponsesState): ResponsesState {
  return state.heard ? state : { ...state, heard: true };
}

type Reader = (state: ResponsesState, event: JsonObject) => Step<ResponsesState>;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['response.output_text.delta', textDelta],
  ['response.refusal.delta', textDelta],
  ['response.reasoning_summary_text.delta', reasoningDelta],
  ['response.reasoning_text.delta', reasoningDelta],
  ['response.output_item.done', itemDone],
  ['response.completed', complete],
  ['response.incomplete', complete],
  ['response.failed', fail],
  ['response.cancelled', fail],
  ['error', fail],
]);

function textDelta(state: ResponsesState, { delta }: JsonObject): Step<ResponsesState> {
  const text = textIn(delta);
  if (text === undefined) return { state, events: [] };
  return { state: { ...state, text: state.text + text }, events: [{ kind: 'text-delta', text }] };
}

/** Parts of one item are kept apart, as they are in the text of the item. */
function reasoningDelta(state: ResponsesState, event: JsonObject): Step<ResponsesState> {
  const text = textIn(event['delta']);
  if (text === undefined) return { state, events: [] };
  const item = String(event['item_id'] ?? event['output_index']);
  const key = `${String(event['type'])} ${String(event['summary_index'] ?? event['content_index'])}`;
  const isNext = state.part?.item === item && state.part.key !== key;
  return {
    state: { ...state, part: { item, key } },
    events: [{ kind: 'reasoning-delta', text: isNext ? REASONING_BREAK + text : text }],
  };
}

function itemDone(state: ResponsesState, event: JsonObject): Step<ResponsesState> {
  const raw = objectIn(event['item']);
  return raw === undefined ? { state, events: [] } : takeItem(state, raw);
}

function complete(state: ResponsesState, event: JsonObject): Step<ResponsesState> {
  const response = objectIn(event['response']) ?? {};
  const { status, error } = response;
  if (status === 'failed' || status === 'cancelled' || Boolean(error)) fail(state, event);
  const items = wholeItems(response);
  if (state.torn && items.length === 0) throw tornPiece();
  const listed = withoutTold(state, items).reduce<Step<ResponsesState>>(
    (before, raw) => {
      const { state: next, events } = takeItem(before.state, raw);
      return { state: next, events: [...before.events, ...events] };
    },
    { state, events: [] },
  );
  const usage = readUsage(response['usage']);
  const endTurn = response['end_turn'];
  const end: ModelEvent = {
    kind: 'completed',
    stop: stopOf(event, response),
    ...(usage && { usage }),
    ...(typeof endTurn === 'boolean' && { endTurn }),
  };
  return {
    state: { ...listed.state, done: true },
    events: [...listed.events, ...rest(listed.state, response), end],
  };
}

function wholeItems({ output, status }: JsonObject): readonly JsonObject[] {
  return objectsIn(output).filter((raw) => status !== 'incomplete' || raw['status'] !== 'in_progress');
}

/** What was kept back, and a message that only ever came in pieces. */
function rest(state: ResponsesState, response: JsonObject): readonly ModelEvent[] {
  const id = textIn(response['id']) ?? '';
  if (state.text === '') return releaseHeld(state, id);
  return releaseHeld({ ...state, held: [...state.held, { kind: 'message', text: state.text }] }, id);
}

function stopOf(event: JsonObject, response: JsonObject): Stop {
  if (event['type'] !== 'response.incomplete' && response['status'] !== 'incomplete') return 'end';
  return objectIn(response['incomplete_details'])?.['reason'] === 'content_filter' ? 'filter' : 'length';
}

function fail(_state: ResponsesState, event: JsonObject): never {
  throw streamFailure(readError(objectIn(event['response']) ?? event));
}
