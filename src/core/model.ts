/**
 * What passes between an agent and a model, whatever API lies between them. The history is a list of entries; a wire
 * spells each of them once. What a model sent is kept as it came (`raw`), because it goes back unchanged.
 */
import type { ToolCall } from './call.js';
import type { JsonObject } from './json-object.js';
import type { Answer } from './outcome.js';
import type { ContentPart } from './output.js';
import type { ToolSpec } from './tool.js';

export const WIRES = ['responses', 'chat'] as const;
export type Wire = (typeof WIRES)[number];

/** One entry of a history, in the order in which the model gets them. */
export type Entry = InputEntry | ReplyEntry | AnswersEntry;

/** Said to the model: by the user, or by us as the developer. */
export type InputEntry = {
  readonly kind: 'input';
  readonly role: 'developer' | 'user';
  readonly content: readonly ContentPart[];
};

/** All that a model sent in one response, or as much of it as counts. */
export type ReplyEntry = {
  readonly kind: 'reply';
  /** The wire it came over, which knows what `raw` means. */
  readonly wire: Wire;
  readonly items: readonly ReplyItem[];
};

/** The answers to the calls of the reply before it, in the order of the calls. */
export type AnswersEntry = { readonly kind: 'answers'; readonly answers: readonly Answer[] };

/** `raw` is the item as the server sent it; absent for what was made up here, such as a call found in a text. */
export type ReplyItem = { readonly raw?: JsonObject } & (
  | { readonly kind: 'message'; readonly text: string; readonly phase?: string }
  /** `text` is what may be shown of it. */
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall }
  /** A tool that the model's own server has run. */
  | { readonly kind: 'hosted'; readonly name: string; readonly id: string; readonly detail: JsonObject }
  /** Of a kind that nobody here knows: kept, and sent back. */
  | { readonly kind: 'other' }
);

/** Which of them a model knows, its server says. */
export const REASONING_EFFORTS = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
  'ultra',
  'persistent',
] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export type ReasoningSummary = 'auto' | 'concise' | 'detailed' | 'none';
export type Verbosity = 'low' | 'medium' | 'high';

/** A JSON schema that the final answer has to follow. */
export type OutputSchema = { readonly name: string; readonly schema: JsonObject; readonly strict: boolean };

/** All of a request but the history. The same object means the same bytes, so it is spelled once. */
export type ModelRequest = {
  readonly model: string;
  /** The base prompt. */
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: 'auto' | 'none' | 'required';
  readonly parallelToolCalls: boolean;
  /** Names the conversation, so that a server finds what it has cached of it. */
  readonly cacheKey?: string;
  readonly reasoningEffort?: ReasoningEffort;
  readonly reasoningSummary?: ReasoningSummary;
  readonly verbosity?: Verbosity;
  readonly outputSchema?: OutputSchema;
  readonly maxOutputTokens?: number;
};

/** Tokens, as the server counted them. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
};

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
};

/** Why a response ended: the model was done, ran into a limit of its output, or was stopped by a filter. */
export type Stop = 'end' | 'length' | 'filter';

/** One thing read from the stream of a response. After `completed` nothing follows. */
export type ModelEvent =
  | { readonly kind: 'text-delta'; readonly text: string }
  | { readonly kind: 'reasoning-delta'; readonly text: string }
  /** Complete: a call may be started. */
  | { readonly kind: 'item'; readonly item: ReplyItem }
  | {
      readonly kind: 'completed';
      readonly stop: Stop;
      readonly usage?: Usage;
      /** The server's word on whether the model wants to go on (false) or not, where it has one. */
      readonly endTurn?: boolean;
    };

/**
 * What went wrong with a request. `refused`: the server will not take it, now or later (400, 401, 403, 404, 413…).
 * `unreachable`: nobody answered. `closed`: the stream ended before its end. `garbled`: what came is no such stream.
 */
export type FailureKind =
  | 'rate-limit'
  | 'quota'
  | 'server'
  | 'overflow'
  | 'refused'
  | 'unreachable'
  | 'closed'
  | 'stalled'
  | 'garbled';

/** A request that failed. The message is for a person: what happened, the server's own words, what to do; no secrets. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: FailureKind;
  /** The status of the HTTP response, if there was one. */
  readonly status?: number;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number;
  /** Whether events had already been read: the request reached a model. */
  readonly streaming: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    details: { status?: number; retryAfterMs?: number; streaming?: boolean; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    this.streaming = details.streaming ?? false;
  }
}

/** A model behind its server. */
export interface Model {
  readonly name: string;
  readonly provider: string;
  readonly wire: Wire;
  readonly limits: ModelLimits;
  /** Whether its server takes `outputSchema`; where it does not, that is left out, and the model has to be told in words. */
  readonly takesSchemas: boolean;
  /** An entry as this wire spells it: JSON values with commas between them, or nothing at all. */
  encode(entry: Entry): string;
  /**
   * One request, read to its end. `history` is what `encode` made, with commas between. Throws a `ModelError`, or the
   * signal's reason once it has fired. Never tries again by itself.
   */
  open(request: ModelRequest, history: Uint8Array, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Ends its connections. */
  close(): void;
}

export type ModelLimits = {
  /** Tokens that fit, if that is known. */
  readonly contextWindow?: number;
  /** How often a request that never became a stream is tried again, and one whose stream broke. */
  readonly requestRetries: number;
  readonly streamRetries: number;
};
