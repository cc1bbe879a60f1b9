/** What a scripted model is told to say, and how its server is told to fail. One turn is one answer to one request. */
import type { JsonObject } from '../core/json-object.js';
import type { Wire } from '../core/model.js';

/** Turns in their order, or a function that is asked for each request (the first has the index 0). */
export type ModelScript =
  | readonly ScriptedTurn[]
  | ((request: ScriptedRequest, index: number) => ScriptedTurn | Promise<ScriptedTurn>);

/** A request as it arrived. */
export type ScriptedRequest = {
  readonly wire: Wire;
  /** With its query. */
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bodyText: string;
  /** Empty when the text is no JSON object. */
  readonly body: JsonObject;
  /** Which connection it came over; the first is 1. */
  readonly connection: number;
};

/** Said in this order: reasoning, text, calls, items. */
export type ScriptedTurn = {
  readonly reasoning?: string | { readonly summary: string; readonly encrypted?: string };
  readonly text?: string;
  /** Of the message. Only the Responses API knows it. */
  readonly phase?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Sent as they are. Only the Responses API has items. */
  readonly items?: readonly JsonObject[];
  /** Default: 100 tokens in, 10 out. `none`: the server does not say. */
  readonly usage?: ScriptedUsage | 'none';
  /** The server's word on whether the model is done. Only the Responses API has it. */
  readonly endTurn?: boolean;
  /** Characters in each piece of text. Default 16. */
  readonly chunkSize?: number;
  /** Bytes in each write, to cut events and characters apart. Default: one event is one write. */
  readonly writeSize?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer waits for it: before the headers, or where `holdAt` says. */
  readonly hold?: Promise<unknown>;
  readonly holdAt?: StreamPosition;
  readonly fault?: ScriptedFault;
};

/** `custom` and `localShell` are lowered to functions where a server knows nothing else. */
export type ScriptedCall = { readonly callId?: string } & (
  | { readonly name: string; readonly arguments: JsonObject | string }
  | { readonly custom: string; readonly input: string }
  | { readonly localShell: readonly string[]; readonly cwd?: string; readonly timeoutMs?: number }
);

export type ScriptedUsage = {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly reasoning?: number;
};

/** How far a stream gets: so many events, or so many whole items (0: the headers only). The last event is never reached. */
export type StreamPosition = { readonly afterEvents?: number; readonly afterItems?: number };

export type ScriptedError = { readonly code?: string; readonly message?: string };

/**
 * What goes wrong. It happens on the first `times` requests for the turn (default 1). Then the turn is played as it
 * should be, unless the fault ends it: by default only those do that a client may take as an answer (`incomplete`,
 * `malformed`, `noDoneItems`). A script that is a function decides for each request by itself.
 */
export type ScriptedFault = { readonly times?: number; readonly endsTurn?: boolean } & (
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Seconds, or a date. */
      readonly retryAfter?: number | string;
      readonly body?: string | JsonObject;
    }
  /** Status 400; with `inStream`, a failed response over the Responses API. */
  | { readonly kind: 'contextOverflow'; readonly inStream?: boolean }
  /** The response fails; by default before anything was said. */
  | ({ readonly kind: 'failed' } & ScriptedError & StreamPosition)
  /** All is said, and the response says that it was cut: by `max_output_tokens`, or another reason. */
  | { readonly kind: 'incomplete'; readonly reason?: string }
  /** An event of the type `error`; by default before anything was said. */
  | ({ readonly kind: 'errorEvent' } & ScriptedError & StreamPosition)
  /** By default in the middle: the socket is gone; the stream ends; silence until the client leaves. */
  | ({ readonly kind: 'drop' | 'eof' | 'stall' } & StreamPosition)
  /** By default in the middle: data that is no JSON, and then the rest. */
  | ({ readonly kind: 'malformed' } & StreamPosition)
  /** No stream at all: noise, or a page. */
  | { readonly kind: 'garbage' | 'html' }
  /** The socket is reset before the headers. */
  | { readonly kind: 'reset' }
  /** No item is said to be done but by the last event. Chat Completions: nothing but `[DONE]` says that it finished. */
  | { readonly kind: 'noDoneItems' }
);
