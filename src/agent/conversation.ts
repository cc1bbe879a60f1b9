/** A conversation with a model over any number of turns, one at a time. */
import type { Emit } from '../core/events.js';
import { NO_USAGE } from '../core/model.js';
import type { Model, OutputSchema, Usage } from '../core/model.js';
import { schemaInWords } from '../core/schema-in-words.js';
import type { TurnResult, UserInput } from '../core/turn.js';
import { compact } from './compact.js';
import type { ConversationSetup } from './conversation-setup.js';
import { TURN_ABORTED, developerEntry, userEntry } from './entries.js';
import { createHistory } from './history.js';
import { createMeter } from './limits.js';
import type { Meter } from './limits.js';
import { createOwnIds } from './own-ids.js';
import { createRepetitions } from './repetition.js';
import { createRequestFor } from './request-for.js';
import { toTurnEnd } from './turn-end.js';
import { watchTurn } from './turn-watch.js';
import { converse } from './turn.js';
import type { TurnParts } from './turn.js';
import { addUsage, tokensOf } from './usage.js';

export type SendOptions = {
  readonly signal?: AbortSignal;
  /** What the final answer of this turn has to look like. */
  readonly outputSchema?: OutputSchema;
};

export interface Conversation {
  readonly id: string;
  /** One turn. Whatever happens in it is in the result; throws only when another turn is running. */
  send(input: UserInput, options?: SendOptions): Promise<TurnResult>;
  /** Has the model tell the conversation shorter. Throws a `ModelError` or `Aborted`. */
  compact(signal?: AbortSignal): Promise<void>;
  /** From the next turn on. */
  change(setup: Partial<ConversationSetup>): void;
  /** Of the whole conversation. */
  readonly usage: Usage;
}

export type ConversationParts = {
  readonly id: string;
  readonly emit: Emit;
  readonly random: () => number;
  /** Ends the turn that runs, and every later one. */
  readonly closing?: AbortSignal;
};

export function createConversation(
  first: ConversationSetup,
  { id, emit, random, closing }: ConversationParts,
): Conversation {
  let setup = first;
  let changed = first;
  let total = NO_USAGE;
  let turns = 0;
  let busy = false;
  const history = createHistory(setup.model);
  const requestFor = createRequestFor(id);
  const underOwnId = createOwnIds();

  function partsFor(turn: string, signal: AbortSignal, meter: Meter, outputSchema?: OutputSchema): TurnParts {
    const { model, run } = setup;
    const compactAt = setup.compactAt ?? nineTenths(model.limits.contextWindow);
    return {
      turn,
      signal,
      model,
      history,
      meter,
      random,
      request: requestFor(setup, outputSchema),
      repetitions: createRepetitions(),
      emit,
      run: (call) => underOwnId(call, (own) => run(own, { signal, turn })),
      used(usage) {
        meter.used(usage);
        total = addUsage(total, usage);
        const context = { tokens: tokensOf(usage), ...windowOf(model) };
        emit({ type: 'usage.reported', turn, usage, total, context });
      },
      ...(compactAt !== undefined && { compactAt }),
    };
  }

  function nextTurn(): string {
    turns += 1;
    return `${id}-${turns}`;
  }

  async function alone<Value>(work: () => Promise<Value>): Promise<Value> {
    if (busy) throw new Error('a turn of this session is running; wait for its end, or interrupt it');
    busy = true;
    if (changed.model !== setup.model) history.use(changed.model);
    setup = changed;
    try {
      return await work();
    } finally {
      busy = false;
    }
  }

  async function runTurn(input: UserInput, { signal, outputSchema }: SendOptions): Promise<TurnResult> {
    const turn = nextTurn();
    const meter = createMeter(setup.limits, setup.price);
    const watch = watchTurn([signal, closing], setup.limits.wallMs);
    emit({ type: 'turn.started', turn, model: setup.model.name, provider: setup.model.provider });
    try {
      for (const entry of setup.news()) history.say(entry, 'context');
      history.say(userEntry(input), 'user');
      if (outputSchema && !setup.model.takesSchemas) history.say(developerEntry(schemaInWords(outputSchema)), 'turn');
      const message = await converse(partsFor(turn, watch.signal, meter, outputSchema));
      return finish(turn, meter, { status: 'completed', ...(message !== undefined && { message }) });
    } catch (error) {
      const { status, error: problem } = watch.reasonFor(toTurnEnd(error));
      if (status !== 'failed') history.say(TURN_ABORTED, 'turn');
      return finish(turn, meter, { status, ...(problem && { error: problem }) });
    } finally {
      watch.close();
    }
  }

  async function shorten(signal: AbortSignal | undefined): Promise<void> {
    const watch = watchTurn([signal, closing]);
    try {
      await compact(partsFor(nextTurn(), watch.signal, createMeter({}, setup.price)), 'asked');
    } finally {
      watch.close();
    }
  }

  function finish(turn: string, meter: Meter, end: Pick<TurnResult, 'status' | 'message' | 'error'>): TurnResult {
    const { usage, requests, costUsd } = meter;
    const counts = { usage, total, requests, ...(costUsd !== undefined && { costUsd }) };
    const { status, error } = end;
    emit({ type: 'turn.finished', turn, status, ...(error && { error }), ...counts });
    return { turn, ...end, ...counts };
  }

  return {
    id,
    get usage() {
      return total;
    },
    send: (input, options = {}) => alone(() => runTurn(input, options)),
    compact: (signal) => alone(() => shorten(signal)),
    change(changes) {
      changed = { ...changed, ...changes };
    },
  };
}

function nineTenths(window: number | undefined): number | undefined {
  return window === undefined ? undefined : Math.floor(window * 0.9);
}

function windowOf({ limits: { contextWindow } }: Model): { window?: number } {
  return contextWindow === undefined ? {} : { window: contextWindow };
}
