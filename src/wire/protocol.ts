/**
 * What each wire brings: how a request and its history are spelled, and how the stream of a response is read. Pure:
 * bytes are somebody else's business, and so is what becomes of a failure.
 */
import type { JsonObject } from '../core/json-object.js';
import type { Entry, ModelError, ModelEvent, ModelRequest, Wire } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import type { ServerEvent } from '../core/server-event.js';

/** What was read of a stream so far. Its events are complete: nothing in them changes later. */
export type Step<State> = { readonly state: State; readonly events: readonly ModelEvent[] };

export interface Protocol<State> {
  readonly wire: Wire;
  /** After the provider's base URL. */
  readonly path: string;
  /**
   * All of the request up to its history, which comes last so that one request extends the other byte for byte. With
   * `tail` behind it that is the whole request; a history is never empty.
   */
  head(request: ModelRequest, dialect: Dialect): string;
  /** What closes the request after the history. */
  readonly tail: string;
  /** JSON values with commas between them, or nothing. */
  encode(entry: Entry, dialect: Dialect): string;
  /** `toolNames` are those that the model was told of. */
  start(dialect: Dialect, toolNames: readonly string[]): State;
  /**
   * Throws a `ModelError` for what the server says is wrong, and for a piece that came damaged where others depend on it.
   * What is not understood is passed over.
   */
  step(state: State, event: ServerEvent): Step<State>;
  /** The stream has ended. Throws a `ModelError` when that was too early. */
  end(state: State): readonly ModelEvent[];
  /** What an error response says. `body` is its text, which need not be JSON. */
  refusal(status: number, body: string): ModelError;
  /** A response in one piece, from a server that does not stream. Throws as `step` does. */
  whole(body: JsonObject, dialect: Dialect, toolNames: readonly string[]): readonly ModelEvent[];
}
