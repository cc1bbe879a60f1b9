/**
 * A model that says again what it said when the session was recorded, request by request. What it is sent makes no
 * difference to it: that is for whoever compares.
 */
import { Aborted } from '../core/errors.js';
import type { InputEntry, Model, ModelEvent } from '../core/model.js';
import type { ModelOptions } from '../model/create-model.js';
import { chatProtocol } from '../wire/chat-protocol.js';
import { responsesProtocol } from '../wire/responses-protocol.js';
import { createModelScript } from './model-script.js';
import type { ModelScript, Played } from './model-script.js';
import type { RecordedAct } from './recorded-act.js';

export type Surroundings = {
  /** From what was recorded to the names of this run. */
  readonly translate: <Value>(recorded: Value) => Value;
  /** What the user said while the model worked. */
  readonly steer: (said: InputEntry) => void;
  /** Nothing more comes, because the turn was stopped here. Somebody has to stop it again. */
  readonly silent: () => void;
};

export interface RecordedModel extends Model {
  /** From now on it says what it said there. */
  play(act: RecordedAct): void;
}

export function createRecordedModel(
  { model, provider, contextWindow }: ModelOptions,
  surroundings: Surroundings,
): RecordedModel {
  const { wire, dialect } = provider;
  const protocol = wire === 'chat' ? chatProtocol : responsesProtocol;
  let script: ModelScript | undefined;
  return {
    name: model,
    provider: provider.id,
    wire,
    takesSchemas: dialect.strictSchemas,
    // It breaks off as often as it did, and is asked again each time.
    limits: {
      requestRetries: Infinity,
      streamRetries: Infinity,
      ...(contextWindow !== undefined && { contextWindow }),
    },
    encode: (entry) => protocol.encode(entry, dialect),
    play(act) {
      script = createModelScript(act);
    },
    async *open({ toolChoice }, _history, signal) {
      if (script === undefined) throw new Error('there is nothing to play');
      // Only a summary is asked for without tools.
      yield* speak(toolChoice === 'none' ? script.summary() : script.response(), surroundings, signal);
    },
    close: () => {},
  };
}

async function* speak(
  { events, steered, end }: Played,
  { translate, steer, silent }: Surroundings,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, void> {
  for (const event of events) {
    signal.throwIfAborted();
    // Said before the response has ended, so that the next request has it.
    if (event.kind === 'completed') for (const said of steered) steer(said);
    yield translate(event);
  }
  if (end.kind === 'failed') throw end.error;
  if (end.kind === 'complete') return;
  silent();
  await aborted(signal);
  throw new Aborted();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
