/**
 * The body of a response as events of the model. What it is shows in its first character, which is more reliable than what
 * servers and proxies say of it: a stream, one object from a server that does not stream, or a page for people.
 */
import { isJsonObject, parseJson } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { ModelError } from '../core/model.js';
import type { ModelEvent } from '../core/model.js';
import { pageTitle } from '../core/page-title.js';
import type { Dialect } from '../core/provider.js';
import type { HttpResponse } from '../http/http-client.js';
import { readText } from '../http/read-text.js';
import { serverEvents } from '../http/server-events.js';
import type { Protocol } from '../wire/protocol.js';
import { lookAhead } from './look-ahead.js';
import { createPatience } from './patience.js';
import type { Patience } from './patience.js';

export type Reading<State> = {
  readonly protocol: Protocol<State>;
  readonly dialect: Dialect;
  readonly toolNames: readonly string[];
  /** How long the server may send nothing at all. */
  readonly idleMs: number;
  /** Called for each event of the stream that was understood or passed over. */
  readonly onEvent: () => void;
  /** Of the body. Default: 128 MiB. */
  readonly mostBytes?: number;
};

/** For so many times as long it may send what says nothing. */
const SIGNS_OF_LIFE = 10;
const MOST_OF_A_PAGE = 64 * 1024;
const MOST_OF_A_REPLY = 64 * 1024 * 1024;
/** Several times what a model can write, with all that servers put around each piece of it. */
const MOST_OF_A_STREAM = 128 * 1024 * 1024;

/** Nothing is read after `completed`. Throws a `ModelError` or an `HttpError`. */
export async function* readReply<State>(
  { chunks }: Pick<HttpResponse, 'chunks'>,
  reading: Reading<State>,
): AsyncGenerator<ModelEvent, void, void> {
  const patience = createPatience(SIGNS_OF_LIFE * reading.idleMs);
  const { first, all } = await lookAhead(bounded(patience.watch(chunks), reading.mostBytes ?? MOST_OF_A_STREAM));
  if (first === '<') throw webPage(await readText(all, MOST_OF_A_PAGE));
  else if (first === '{') yield* wholeReply(await readText(all, MOST_OF_A_REPLY), reading);
  else yield* streamedReply(all, reading, patience);
}

/** A stream without an end would fill the memory. */
async function* bounded(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array, void, void> {
  let left = most;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new ModelError('garbled', `the server sent more than ${most} bytes in one response`);
    yield chunk;
  }
}

function webPage(html: string): ModelError {
  const title = pageTitle(html);
  const page = title === undefined ? 'a web page' : `a web page (“${title}”)`;
  return new ModelError('garbled', `the server sent ${page} in place of a response. Check base_url of the provider.`);
}

function* wholeReply<State>(text: string, reading: Reading<State>): Generator<ModelEvent, void, void> {
  const { protocol, dialect, toolNames } = reading;
  yield* protocol.whole(parsed(text), dialect, toolNames);
}

function parsed(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new ModelError('garbled', 'the server sent an object that is not valid JSON');
}

async function* streamedReply<State>(
  chunks: AsyncIterable<Uint8Array>,
  { protocol, dialect, toolNames, onEvent }: Reading<State>,
  patience: Patience,
): AsyncGenerator<ModelEvent, void, void> {
  let state = protocol.start(dialect, toolNames);
  for await (const event of serverEvents(chunks)) {
    patience.heard();
    const step = protocol.step(state, event);
    state = step.state;
    onEvent();
    yield* step.events;
    if (step.events.some(({ kind }) => kind === 'completed')) return;
  }
  yield* protocol.end(state);
}
