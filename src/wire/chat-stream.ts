/**
 * The stream of the Chat Completions API, piece by piece. A call counts when another has begun or the response is over;
 * what was said and thought counts with the first call, or at the end. Each piece goes on from the one before, so where one is
 * lost the rest is not what the model said.
 */
import { parseJson } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { ModelError } from '../core/model.js';
import type { ModelEvent, Stop } from '../core/model.js';
import type { ServerEvent } from '../core/server-event.js';
import { addPiece } from './chat-calls.js';
import { ownFieldsIn, saidIn, thoughtIn } from './chat-delta.js';
import type { Spoken } from './chat-items.js';
import { tellRest, tellWhole } from './chat-state.js';
import type { ChatState } from './chat-state.js';
import { streamFailure } from './failure.js';
import type { Step } from './protocol.js';
import { objectIn, objectsIn, textIn } from './read-field.js';
import { readError, readErrorBody } from './server-words.js';
import { closedTooEarly, isTorn, noStream, tornPiece } from './stream-ends.js';
import { readUsage } from './usage.js';

export function stepChat(state: ChatState, { name, data }: ServerEvent): Step<ChatState> {
  if (state.done) return { state, events: [] };
  if (data.trim() === '[DONE]') return finish(state);
  if (name === 'error') throw streamFailure(readErrorBody(data));
  const value = parseJson(data);
  if (value === undefined && isTorn(data)) return { state: withoutHole({ ...state, torn: true }), events: [] };
  const chunk = objectIn(value);
  if (chunk === undefined) return { state, events: [] };
  if (isError(chunk)) throw streamFailure(readError(chunk));
  return takeChunk(state, chunk);
}

/** Noise before the first piece may as well be all that comes: then it is no stream. After the last one nothing is lost. */
function withoutHole(state: ChatState): ChatState {
  if (state.torn && state.heard && state.stop === undefined) throw tornPiece();
  return state;
}

export function endChat(state: ChatState): readonly ModelEvent[] {
  if (state.done) return [];
  if (state.stop !== undefined) return finish(state).events;
  throw state.heard ? closedTooEarly() : noStream();
}

/** A response in one piece: all of it is told at its end. */
export function wholeChat(body: JsonObject, state: ChatState): readonly ModelEvent[] {
  if (isError(body)) throw streamFailure(readError(body));
  if (!Array.isArray(body['choices'])) throw noStream();
  const taken = takeChunk(state, body);
  const events = [...taken.events, ...finish(taken.state).events];
  return events.filter(({ kind }) => kind === 'item' || kind === 'completed');
}

function isError({ error, object }: JsonObject): boolean {
  return Boolean(error) || object === 'error';
}

function finish(state: ChatState): Step<ChatState> {
  const { state: rest, events } = tellRest(state);
  if (!rest.told && state.stop === undefined) throw closedTooEarly();
  const { stop = 'end', usage } = state;
  return {
    state: { ...rest, done: true },
    events: [...events, { kind: 'completed', stop, ...(usage && { usage }) }],
  };
}

function takeChunk(state: ChatState, chunk: JsonObject): Step<ChatState> {
  const usage = readUsage(chunk['usage']);
  const known = withoutHole({
    ...state,
    heard: state.heard || Array.isArray(chunk['choices']) || usage !== undefined,
    response: state.response || (textIn(chunk['id']) ?? ''),
    ...(usage && { usage }),
  });
  const choice = objectsIn(chunk['choices']).find(({ index }) => (index ?? 0) === 0);
  return choice === undefined ? { state: known, events: [] } : takeChoice(known, choice);
}

function takeChoice(state: ChatState, choice: JsonObject): Step<ChatState> {
  const delta = objectIn(choice['delta']) ?? wholeMessage(choice) ?? {};
  const heard = takeSpoken(state, delta);
  const called = tellWhole({ ...heard.state, calls: piecesIn(delta).reduce(addPiece, state.calls) });
  const reason = textIn(choice['finish_reason']);
  const events = [...heard.events, ...called.events];
  if (reason === undefined) return { state: called.state, events };
  const rest = tellRest({ ...called.state, stop: stopFor(reason) });
  return { state: rest.state, events: [...events, ...rest.events] };
}

function takeSpoken(state: ChatState, delta: JsonObject): Step<ChatState> {
  const said = saidIn(delta);
  const thought = thoughtIn(delta);
  const fields = ownFieldsIn(delta);
  if (fields === undefined) return { state, events: [] };
  const spoken: Spoken = {
    said: state.spoken.said + said,
    thought: state.spoken.thought + thought,
    fields: { fields, before: state.spoken.fields },
  };
  const events: ModelEvent[] = [];
  if (thought !== '') events.push({ kind: 'reasoning-delta', text: thought });
  if (said !== '') events.push({ kind: 'text-delta', text: said });
  return { state: { ...state, spoken }, events };
}

/** In a whole message a call has no index, but a place. */
function wholeMessage(choice: JsonObject): JsonObject | undefined {
  const message = objectIn(choice['message']);
  const calls = objectsIn(message?.['tool_calls']);
  return message && { ...message, tool_calls: calls.map((call, index) => Object.assign({ index }, call)) };
}

/** Before there were many calls there was one, under another name. */
function piecesIn(delta: JsonObject): readonly JsonObject[] {
  const legacy = objectIn(delta['function_call']);
  return legacy === undefined ? objectsIn(delta['tool_calls']) : [{ index: 0, function: legacy }];
}

function stopFor(reason: string): Stop {
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  if (reason === 'content_filter') return 'filter';
  if (reason !== 'error' && reason !== 'insufficient_system_resource') return 'end';
  throw new ModelError('server', `the server broke the response off (${reason})`, { streaming: true });
}
