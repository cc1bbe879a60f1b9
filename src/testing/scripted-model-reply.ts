/** From a turn and what goes wrong with it to the bytes of an answer. Pure; sending them is another file's business. */
import type { JsonObject } from '../core/json-object.js';
import type { Wire } from '../core/model.js';
import { chatSpelling } from './scripted-model-chat.js';
import { responsesSpelling } from './scripted-model-responses.js';
import type { Asked, EventStream, Spelling, StreamEvent } from './scripted-model-spelling.js';
import type {
  ScriptedError,
  ScriptedFault,
  ScriptedRequest,
  ScriptedTurn,
  StreamPosition,
} from './scripted-model-turn.js';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
  /** What follows the last piece: the end, a dead socket, or nothing. */
  readonly ending: 'end' | 'drop' | 'silence';
  /** After how many pieces the turn's `hold` is waited for; absent: before the headers. */
  readonly holdAfter?: number;
};

/** One turn to play, and the fault that it has this time. */
export type Play = { readonly turn: ScriptedTurn; readonly fault?: ScriptedFault };

const SPELLINGS: Readonly<Record<Wire, Spelling>> = { responses: responsesSpelling, chat: chatSpelling };

/** `number` is that of the request; the first is 1. */
export function replyTo(request: ScriptedRequest, { turn, fault }: Play, number: number): Reply | 'reset' {
  if (fault?.kind === 'reset') return 'reset';
  const streamed = request.body['stream'] === true;
  const answer = { turn, asked: askedBy(request, number, fault), spelling: SPELLINGS[request.wire] };
  const reply = withoutModel(request, fault) ?? (streamed ? inEvents(answer, fault) : inOnePiece(answer, fault));
  return { ...reply, headers: { ...reply.headers, ...turn.headers } };
}

type Answering = { readonly turn: ScriptedTurn; readonly asked: Asked; readonly spelling: Spelling };

function askedBy({ body }: ScriptedRequest, number: number, fault: ScriptedFault | undefined): Asked {
  const options = body['stream_options'] as JsonObject | undefined;
  return {
    number,
    model: typeof body['model'] === 'string' ? body['model'] : 'scripted-model',
    includeUsage: options?.['include_usage'] === true,
    ...(fault?.kind === 'incomplete' && { cut: fault.reason ?? 'max_output_tokens' }),
    ...(fault?.kind === 'noDoneItems' && { noDoneItems: true }),
  };
}

/** What a server, or something before it, answers without asking a model. */
function withoutModel({ wire, body }: ScriptedRequest, fault: ScriptedFault | undefined): Reply | undefined {
  switch (fault?.kind) {
    case 'status': {
      const after = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      return refusal(fault.status, fault.body ?? errorBody({ message: `scripted status ${fault.status}` }), after);
    }
    case 'contextOverflow':
      if (fault.inStream && wire === 'responses' && body['stream'] === true) return undefined;
      return refusal(400, errorBody(OVERFLOW));
    case 'garbage':
      return {
        status: 200,
        headers: { 'content-type': EVENTS },
        pieces: ['\u0001\u0002 }{ no events here\n\n%%'],
        ending: 'end',
      };
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, pieces: [PAGE], ending: 'end' };
    default:
      return undefined;
  }
}

const EVENTS = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';
const PAGE = '<!doctype html><title>Sign in</title><p>Please sign in to use this network.</p>\n';
const NO_JSON = '{"this is": no JSON';
const OVERFLOW = {
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

function refusal(status: number, body: string | JsonObject, headers: Reply['headers'] = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : JSON_TYPE;
  return { status, headers: { 'content-type': type, ...headers }, pieces: [text], ending: 'end' };
}

function errorBody(error: ScriptedError): JsonObject {
  const { code, message } = { ...USUAL_ERROR, ...error };
  return { error: { message, type: code, param: null, code } };
}

const USUAL_ERROR = { code: 'server_error', message: 'The scripted model failed.' };

function inEvents({ turn, asked, spelling }: Answering, fault: ScriptedFault | undefined): Reply {
  const stream = spelling.stream(turn, asked);
  const all = [...stream.opening, ...stream.items.flat(), ...stream.ending];
  const upTo = (position: StreamPosition, otherwise: number) => eventsUntil(stream, position, otherwise);
  const middle = Math.ceil(all.length / 2);
  const reply = (events: readonly StreamEvent[], ending: Reply['ending'] = 'end'): Reply => ({
    status: 200,
    headers: { 'content-type': EVENTS, 'cache-control': 'no-cache' },
    pieces: events.map(asText),
    ending,
    ...(turn.holdAt && { holdAfter: upTo(turn.holdAt, 0) }),
  });
  switch (fault?.kind) {
    case 'contextOverflow':
      return reply([...stream.opening, ...spelling.failure(OVERFLOW, asked)]);
    case 'failed': {
      const failure = spelling.failure(errorOf(fault), asked);
      return reply([...all.slice(0, upTo(fault, stream.opening.length)), ...failure]);
    }
    case 'errorEvent':
      return reply([...all.slice(0, upTo(fault, stream.opening.length)), spelling.errorEvent(errorOf(fault))]);
    case 'drop':
      return reply(all.slice(0, upTo(fault, middle)), 'drop');
    case 'eof':
      return reply(all.slice(0, upTo(fault, middle)));
    case 'stall':
      return reply(all.slice(0, upTo(fault, middle)), 'silence');
    case 'malformed':
      return reply(all.toSpliced(upTo(fault, middle), 0, { data: NO_JSON }));
    default:
      return reply(all);
  }
}

/** Never the last event, or nothing would have gone wrong. */
function eventsUntil({ opening, items, ending }: EventStream, position: StreamPosition, otherwise: number): number {
  const { afterEvents, afterItems } = position;
  const before = afterItems === undefined ? undefined : [...opening, ...items.slice(0, afterItems).flat()].length;
  const most = opening.length + items.flat().length + ending.length - 1;
  return Math.min(afterEvents ?? before ?? otherwise, most);
}

function asText({ name, data }: StreamEvent): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
}

function errorOf({ code, message }: ScriptedError): Required<ScriptedError> {
  return { code: code ?? USUAL_ERROR.code, message: message ?? USUAL_ERROR.message };
}

/** The same faults where there are no events: half of the text takes the place of some of them. */
function inOnePiece({ turn, asked, spelling }: Answering, fault: ScriptedFault | undefined): Reply {
  const text = JSON.stringify(spelling.whole(turn, asked));
  const half = text.slice(0, text.length / 2);
  const reply = (pieces: readonly string[], ending: Reply['ending'] = 'end'): Reply => {
    return { status: 200, headers: { 'content-type': JSON_TYPE }, pieces, ending };
  };
  switch (fault?.kind) {
    case 'failed': {
      const failure = spelling.wholeFailure(errorOf(fault), asked);
      return failure ? reply([JSON.stringify(failure)]) : refusal(500, errorBody(errorOf(fault)));
    }
    case 'errorEvent':
      return refusal(500, errorBody(errorOf(fault)));
    case 'drop':
      return reply([half], 'drop');
    case 'eof':
      return reply([half]);
    case 'stall':
      return reply([half], 'silence');
    case 'malformed':
      return reply([NO_JSON]);
    default:
      return reply([text]);
  }
}
