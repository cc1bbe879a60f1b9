/** A conversation with a model over any number of turns, one at a time. */
import type { Model, OutputSchema } from '../core/model.js';
import { schemaInWords } from '../core/schema-in-words.js';
import type { TurnResult, UserInput } from '../core/turn.js';
import { createCalls } from './calls.js';
import { compact } from './compact.js';
import type { Conversation, ConversationParts, SendOptions } from './conversation-api.js';
import type { ConversationSetup } from './conversation-setup.js';
import { developerEntry, userEntry } from './entries.js';
import { finishTurn } from './finish-turn.js';
import type { EndedTurn } from './finish-turn.js';
import { createHistory } from './history.js';
import { NOT_KEPT, keptHistory, now } from './keeping.js';
import { createMeter } from './limits.js';
import type { Meter } from './limits.js';
import { createTurnSlot } from './one-at-a-time.js';
import { recall } from './past.js';
import { createRepetitions } from './repetition.js';
import { createRequestFor } from './request-for.js';
import { createSettingsRecord } from './settings-record.js';
import { createSteering } from './steering.js';
import { createTurnNews } from './turn-news.js';
import { toTurnEnd } from './turn-end.js';
import { watchTurn } from './turn-watch.js';
import { converse } from './turn.js';
import type { TurnParts } from './turn.js';
import { unfinishedOf } from './unfinished.js';
import { addUsage, tokensOf } from './usage.js';

export function createConversation(first: ConversationSetup, parts: ConversationParts): Conversation {
  const { id, emit, random, closing, keeping = NOT_KEPT } = parts;
  const memory = createHistory(first.model);
  const calls = createCalls(keeping);
  const past = recall(parts.lines ?? [], memory, calls.ids);
  const history = keptHistory(memory, keeping);
  const requestFor = createRequestFor(id);
  const settingsRecord = createSettingsRecord(past, keeping);
  const news = createTurnNews(past, { history, keeping });
  const steering = createSteering();
  const slot = createTurnSlot();
  let unfinished = unfinishedOf(past, { history, keeping, calls });
  let { total, turns } = past;
  let setup = first;
  let changed = first;

  function partsFor(turn: string, signal: AbortSignal, meter: Meter, outputSchema?: OutputSchema): TurnParts {
    const { model, run, reserve } = setup;
    const compactAt = setup.compactAt ?? nineTenths(model.limits.contextWindow);
    const request = requestFor(setup, outputSchema);
    settingsRecord.shaped(request);
    return {
      turn,
      signal,
      model,
      history,
      meter,
      random,
      request,
      keeping,
      repetitions: createRepetitions(),
      emit,
      standing: setup.standing,
      getReady: setup.getReady,
      steered: () => steering.take(),
      start: (call) => calls.start(call, { run, reserve, signal, turn }),
      used(usage) {
        meter.used(usage);
        total = addUsage(total, usage);
        const context = { tokens: tokensOf(usage), ...windowOf(model) };
        emit({ type: 'usage.reported', turn, usage, total, context });
      },
      ...(compactAt !== undefined && { compactAt }),
    };
  }

  function inTurn(work: (interrupted: AbortSignal) => Promise<TurnResult>): Promise<TurnResult> {
    if (!slot.taken) steering.open();
    return alone(work);
  }

  function alone<Value>(work: (interrupted: AbortSignal) => Promise<Value>): Promise<Value> {
    return slot.alone((interrupted) => {
      if (changed.model !== setup.model) history.use(changed.model);
      setup = changed;
      return work(interrupted);
    });
  }

  type Turn = SendOptions & {
    readonly turn: string;
    /** What stands before the first request. */
    readonly begin: (signal: AbortSignal) => Promise<void> | void;
  };

  async function runTurn({ turn, begin, signal, outputSchema }: Turn, interrupted: AbortSignal): Promise<TurnResult> {
    const meter = createMeter(setup.limits, setup.price);
    const watch = watchTurn([signal, interrupted, closing], setup.limits.wallMs);
    emit({ type: 'turn.started', turn, model: setup.model.name, provider: setup.model.provider });
    try {
      settingsRecord.chosen(setup);
      await begin(watch.signal);
      const message = await converse(partsFor(turn, watch.signal, meter, outputSchema));
      return await finish(turn, meter, { status: 'completed', ...(message !== undefined && { message }) });
    } catch (error) {
      const { status, error: problem } = watch.reasonFor(toTurnEnd(error));
      // A session that can no longer be written ends the turn, but not yet what the turn has started.
      watch.stop();
      await calls.ended();
      return await finish(turn, meter, { status, ...(problem && { error: problem }) });
    } finally {
      watch.close();
    }
  }

  function beginWith(input: UserInput, turn: string, outputSchema: OutputSchema | undefined): void {
    const { wire, takesSchemas } = setup.model;
    unfinished?.giveUp();
    unfinished = undefined;
    keeping.append({ type: 'turn.started', at: now(), turn, wire, ...(outputSchema && { outputSchema }) });
    news.tell(setup.news());
    history.say(userEntry(input), 'user');
    if (outputSchema && !takesSchemas) history.say(developerEntry(schemaInWords(outputSchema)), 'turn');
  }

  async function continueTurn(options: SendOptions, interrupted: AbortSignal): Promise<TurnResult> {
    const cutOff = unfinished?.canGoOn ? unfinished : undefined;
    if (!cutOff) {
      steering.close();
      throw new Error('no turn of this session is unfinished');
    }
    const { turn, outputSchema = options.outputSchema } = cutOff;
    unfinished = undefined;
    async function begin(signal: AbortSignal): Promise<void> {
      const { run, reserve } = setup;
      await cutOff?.settle({ run, reserve, signal, turn });
      news.tell(setup.news());
    }
    return runTurn({ ...options, ...(outputSchema && { outputSchema }), turn, begin }, interrupted);
  }

  async function shorten(signal: AbortSignal | undefined, interrupted: AbortSignal): Promise<void> {
    // Its calls would be done after nobody remembers them.
    if (unfinished)
      throw new Error('a turn of this session is unfinished: go on with it, or send something else, first');
    const watch = watchTurn([signal, interrupted, closing]);
    try {
      await compact(partsFor(nextTurn(), watch.signal, createMeter({}, setup.price)), 'asked');
    } finally {
      watch.close();
    }
  }

  function nextTurn(): string {
    turns += 1;
    return `${id}-${turns}`;
  }

  function finish(turn: string, meter: Meter, end: EndedTurn['end']): Promise<TurnResult> {
    steering.close();
    return finishTurn({ turn, end, meter, total, unheard: steering.take() }, { history, keeping, emit });
  }

  return {
    id,
    past,
    get usage() {
      return total;
    },
    get turn() {
      return turns === 0 ? undefined : `${id}-${turns}`;
    },
    get unfinished() {
      return unfinished?.canGoOn ?? false;
    },
    send: (input, options = {}) =>
      inTurn((interrupted) => {
        const turn = nextTurn();
        const begin = (): void => beginWith(input, turn, options.outputSchema);
        return runTurn({ ...options, turn, begin }, interrupted);
      }),
    goOn: (options = {}) => inTurn((interrupted) => continueTurn(options, interrupted)),
    steer: (input) => steering.say(input),
    interrupt: () => slot.interrupt(),
    compact: (signal) => alone((interrupted) => shorten(signal, interrupted)),
    change(changes) {
      changed = { ...changed, ...changes };
    },
    note: (text) => news.note(text),
    copy() {
      if (slot.taken || unfinished)
        throw new Error('a turn of this session has not ended; what it does cannot be copied');
      // A session that could not be written may have left calls without an answer.
      history.answer([]);
      const { entries } = history;
      return { type: 'history.replaced', at: now(), reason: 'forked', entries, usage: total };
    },
    owns: (callId) => calls.ids.has(callId),
  };
}

function nineTenths(window: number | undefined): number | undefined {
  return window === undefined ? undefined : Math.floor(window * 0.9);
}

function windowOf({ limits: { contextWindow } }: Model): { window?: number } {
  return contextWindow === undefined ? {} : { window: contextWindow };
}
