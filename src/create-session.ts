/** A session: a runtime, a model, and the conversation between them. */
import { createConversation } from './agent/conversation.js';
import type { SendOptions } from './agent/conversation-api.js';
import type { ConversationSetup, News, RequestSettings } from './agent/conversation-setup.js';
import type { Past } from './agent/past.js';
import { baseInstructions } from './context/base-instructions.js';
import { contextEntries, keptSnapshot } from './context/context-entries.js';
import type { ContextSnapshot } from './context/context-entries.js';
import type { ChangeChoice, UndoResult } from './core/change-log.js';
import type { JsonObject } from './core/json-object.js';
import type { Model, Usage } from './core/model.js';
import type { SessionLine, SessionLog } from './core/session-log.js';
import type { Price, TurnLimits, UserInput } from './core/turn.js';
import type { Runtime } from './create-runtime.js';
import { newSessionId } from './new-session-id.js';
import { lineOf } from './session-events.js';
import { watchable } from './turn-events.js';
import type { Turn } from './turn-events.js';

export type { Turn } from './turn-events.js';

export type SessionOptions = {
  /** Runs the model's calls, and tells whoever listens to it of all that happens. */
  readonly runtime: Runtime;
  readonly model: Model;
  /** Names the conversation. Default: that of its log, or a name that nobody else has. */
  readonly id?: string;
  /** Where it is written down, so that it can go on in another process. Default: nowhere. */
  readonly log?: SessionLog;
  /** What its log held when it was opened: the conversation goes on from there. */
  readonly past?: readonly SessionLine[];
  /** Written down with it, for whoever opens it again. No secrets: it is kept as it is. */
  readonly restore?: JsonObject;
  /** The base prompt. Default: ours, for the tools of the runtime. */
  readonly instructions?: string;
  /** What the model is told of where it works and what it may do; asked before each turn, and told when it has changed. */
  readonly context?: () => ContextSnapshot;
  readonly settings?: Partial<RequestSettings>;
  /** Of each turn. */
  readonly limits?: TurnLimits;
  readonly price?: Price;
  /** Tokens from which on the history is told shorter. Default: nine tenths of the model's window. */
  readonly compactAt?: number;
  /** Ends the turn that runs and every later one, when nobody is left to run its calls. */
  readonly closing?: AbortSignal;
};

export type ForkOptions = {
  readonly id?: string;
  /** Where the new session is written down. */
  readonly log?: SessionLog;
};

export interface AgentSession {
  readonly id: string;
  /**
   * One turn: its events to iterate over, its result to wait for. Whatever happens in it is in the result; rejects only
   * when another turn is running.
   */
  send(input: UserInput, options?: SendOptions): Turn;
  /**
   * Goes on with a turn that was cut off when its process was stopped. Calls that had ended keep their results, one that
   * ran is told to the model as interrupted, and one that had not begun is begun: a question that was open is asked again.
   */
  goOn(options?: SendOptions): Turn;
  /** Whether there is such a turn. `send` gives it up. */
  readonly unfinished: boolean;
  /** Says something to the model while a turn runs. False when none does: it is to be sent then. */
  steer(input: UserInput): boolean;
  /** Ends the running turn, if there is one, and resolves when it has ended. */
  interrupt(): Promise<void>;
  /** Has the model tell the conversation shorter. Throws a `ModelError` or `Aborted`, and while a turn is unfinished. */
  compact(signal?: AbortSignal): Promise<void>;
  /** Takes back what the latest turn did to files, or what is chosen; the model is told with the next turn. */
  undo(choice?: ChangeChoice): Promise<UndoResult>;
  /** Another session that goes on from here by itself. Throws while a turn runs, or one is unfinished. */
  fork(options?: ForkOptions): AgentSession;
  /** From the next turn on. The conversation stays, also with another model. */
  change(options: Partial<Omit<SessionOptions, 'id' | 'closing' | 'log' | 'past'>>): void;
  /** Of the whole conversation. */
  readonly usage: Usage;
  /**
   * Lets go of the log. A turn that runs is left as it is on record, so that whoever opens the session next can go on
   * with it; `interrupt` ends one. The runtime and the model stay open.
   */
  close(): Promise<void>;
}

export function createSession(first: SessionOptions): AgentSession {
  const { closing, past: lines = [] } = first;
  const log = first.log && untilStopped(first.log);
  let options = first;

  const conversation = createConversation(
    { ...setupOf(options), news, standing },
    {
      id: first.id ?? log?.id ?? newSessionId(),
      emit: (event) => options.runtime.emit(event),
      random: Math.random,
      lines,
      ...(log && { keeping: log }),
      ...(closing && { closing }),
    },
  );
  let told = keptSnapshot(conversation.past.told);
  let plan: Past['plan'] = conversation.past.plan;
  let unsubscribe = listen(options.runtime);

  function news(): News {
    const now = options.context?.();
    if (now === undefined) return { entries: [] };
    const entries = contextEntries(now, told);
    told = now;
    return { entries, snapshot: now };
  }

  function standing(): ReturnType<ConversationSetup['standing']> {
    const running = options.runtime.sessions.list().filter((each) => each.running && conversation.owns(each.callId));
    const programs = running.map(({ id, argv }) => ({ session: id, command: argv.join(' ') }));
    return { programs, ...(plan && { plan }) };
  }

  function listen(runtime: Runtime): () => void {
    return runtime.on((event) => {
      if (!('callId' in event) || !conversation.owns(event.callId)) return;
      if (event.type === 'plan.updated') plan = event.plan;
      const line = log && lineOf(event);
      if (line) log.append(line);
    });
  }

  const subscribe: Runtime['on'] = (listener) => options.runtime.on(listener);

  return {
    id: conversation.id,
    get usage() {
      return conversation.usage;
    },
    get unfinished() {
      return conversation.unfinished;
    },
    send: (input, settings) => watchable(conversation.send(input, settings), subscribe),
    goOn: (settings) => watchable(conversation.goOn(settings), subscribe),
    steer: (input) => conversation.steer(input),
    interrupt: () => conversation.interrupt(),
    compact: (signal) => conversation.compact(signal),
    async undo(choice = latest(conversation.turn)) {
      const result = await options.runtime.undo(choice);
      if (result.kind === 'undone') conversation.note(undoneNote(result));
      return result;
    },
    fork({ id, log: newLog } = {}) {
      const copied = [
        ...(told ? [{ type: 'context.told', snapshot: told } as const] : []),
        ...(plan ? [{ type: 'plan.updated', plan } as const] : []),
        conversation.copy(),
      ];
      for (const line of copied) newLog?.append(line);
      const { id: _id, log: _log, past: _past, ...rest } = options;
      return createSession({ ...rest, past: copied, ...(id !== undefined && { id }), ...(newLog && { log: newLog }) });
    },
    change(changes) {
      if (changes.runtime && changes.runtime !== options.runtime) {
        unsubscribe();
        unsubscribe = listen(changes.runtime);
      }
      options = { ...options, ...changes };
      conversation.change(setupOf(options));
    },
    async close() {
      log?.stop();
      unsubscribe();
      await conversation.interrupt();
      // Only now, when nothing of it runs any more that another process could meet.
      log?.close();
    },
  };
}

type StoppableLog = SessionLog & { stop(): void };

/** What happens after it was stopped is not written: the turn stays as it is on record. */
function untilStopped(log: SessionLog): StoppableLog {
  let stopped = false;
  return {
    id: log.id,
    append(line) {
      if (!stopped) log.append(line);
    },
    durable: () => (stopped ? Promise.resolve() : log.durable()),
    close: () => log.close(),
    stop() {
      stopped = true;
    },
  };
}

function setupOf(options: SessionOptions): Omit<ConversationSetup, 'news' | 'standing'> {
  const { runtime, model, limits = {}, settings = {}, price, compactAt, restore } = options;
  return {
    model,
    settings,
    limits,
    instructions: options.instructions ?? baseInstructions(adviceOf(runtime)),
    tools: () => runtime.advertised,
    run: (call, context) => runtime.runCall(call, context),
    reserve: (callId) => runtime.reserve(callId),
    getReady: () => runtime.getReady(),
    ...(price && { price }),
    ...(compactAt !== undefined && { compactAt }),
    ...(restore && { restore }),
  };
}

/** What the tools that the model is told of have to say on how to use them well. */
function adviceOf({ tools, advertised }: Runtime): readonly string[] {
  const names = new Set(advertised.map(({ name }) => name));
  return tools.flatMap(({ spec, advice }) => (names.has(spec.name) && advice !== undefined ? [advice] : []));
}

function latest(turn: string | undefined): ChangeChoice {
  return turn === undefined ? {} : { turn };
}

function undoneNote({ files }: Extract<UndoResult, { kind: 'undone' }>): string {
  const list = files.map(({ path, change }) => `- ${path} (${change})`).join('\n');
  return `The user has taken back what you did to these files; they are as they were before:\n${list}`;
}
