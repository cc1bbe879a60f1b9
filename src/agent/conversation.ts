/** A conversation with a model over any number of turns, one at a time. */
import type { ToolCall } from '../core/call.js';
import type { Emit } from '../core/events.js';
import { NO_USAGE } from '../core/model.js';
import type { InputEntry, Model, ModelRequest, OutputSchema, Usage } from '../core/model.js';
import type { CallResult } from '../core/outcome.js';
import type { Price, TurnLimits, TurnResult, UserInput } from '../core/turn.js';
import type { ToolSpec } from '../core/tool.js';
import { compact } from './compact.js';
import { createHistory } from './history.js';
import { createMeter } from './limits.js';
import type { Meter } from './limits.js';
import { createRepetitions } from './repetition.js';
import { toTurnEnd } from './turn-end.js';
import { watchTurn } from './turn-watch.js';
import { converse } from './turn.js';
import type { TurnParts } from './turn.js';
import { addUsage, tokensOf } from './usage.js';

export type RequestSettings = Pick<
  ModelRequest,
  'parallelToolCalls' | 'reasoningEffort' | 'reasoningSummary' | 'verbosity' | 'maxOutputTokens'
>;

/** What a conversation works with. Between two turns any of it may change. */
export type ConversationSetup = {
  readonly model: Model;
  /** The base prompt. */
  readonly instructions: string;
  /** Those that the model is told of; looked at once, when a turn begins. */
  readonly tools: () => readonly ToolSpec[];
  readonly run: (call: ToolCall, context: { signal: AbortSignal; turn: string }) => Promise<CallResult>;
  /** What the model has to be told before the next turn that it has not been told yet. */
  readonly news: () => readonly InputEntry[];
  readonly settings: Partial<RequestSettings>;
  readonly limits: TurnLimits;
  readonly price?: Price;
  /** Tokens from which on the history is told shorter. Default: nine tenths of the model's window. */
  readonly compactAt?: number;
};

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

export type ConversationParts = { readonly id: string; readonly emit: Emit; readonly random: () => number };

export function createConversation(first: ConversationSetup, { id, emit, random }: ConversationParts): Conversation {
  let setup = first;
  let total = NO_USAGE;
  let turns = 0;
  let busy = false;
  let request: ModelRequest | undefined;
  const history = createHistory(setup.model);

  /** The same object as long as nothing in it has changed, because it is spelled anew otherwise. */
  function requestFor(outputSchema: OutputSchema | undefined): ModelRequest {
    const { model, instructions, tools, settings } = setup;
    const next: ModelRequest = {
      model: model.name,
      instructions,
      tools: tools(),
      toolChoice: 'auto',
      parallelToolCalls: true,
      cacheKey: id,
      ...settings,
      ...(outputSchema && { outputSchema }),
    };
    request = request && isSame(request, next) ? request : next;
    return request;
  }

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
      request: requestFor(outputSchema),
      repetitions: createRepetitions(),
      emit,
      run: (call) => run(call, { signal, turn }),
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
    try {
      return await work();
    } finally {
      busy = false;
    }
  }

  async function runTurn(input: UserInput, { signal, outputSchema }: SendOptions): Promise<TurnResult> {
    const turn = nextTurn();
    const meter = createMeter(setup.limits, setup.price);
    const watch = watchTurn(signal, setup.limits.wallMs);
    emit({ type: 'turn.started', turn, model: setup.model.name, provider: setup.model.provider });
    try {
      for (const entry of setup.news()) history.say(entry, 'context');
      history.say(userEntry(input), 'user');
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
    compact: (signal = new AbortController().signal) =>
      alone(() => compact(partsFor(nextTurn(), signal, createMeter({}, setup.price)), 'asked')),
    change(changes) {
      setup = { ...setup, ...changes };
      if (changes.model) history.use(changes.model);
    },
  };
}

function isSame(one: ModelRequest, other: ModelRequest): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof ModelRequest>;
  return [...keys].every((key) => one[key] === other[key]);
}

function nineTenths(window: number | undefined): number | undefined {
  return window === undefined ? undefined : Math.floor(window * 0.9);
}

function windowOf({ limits: { contextWindow } }: Model): { window?: number } {
  return contextWindow === undefined ? {} : { window: contextWindow };
}

function userEntry(input: UserInput): InputEntry {
  const content = typeof input === 'string' ? [{ kind: 'text', text: input } as const] : input;
  return { kind: 'input', role: 'user', content };
}

/** In the tags that models know it by. */
const TURN_ABORTED: InputEntry = {
  kind: 'input',
  role: 'user',
  content: [
    {
      kind: 'text',
      text: '<turn_aborted>\nThe turn was stopped before you were done. Commands may have run in part: check the state of things before you go on.\n</turn_aborted>',
    },
  ],
};
