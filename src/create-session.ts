/** A session: a runtime, a model, and the conversation between them. */
import { createConversation } from './agent/conversation.js';
import type { SendOptions } from './agent/conversation.js';
import type { ConversationSetup, RequestSettings } from './agent/conversation-setup.js';
import { baseInstructions } from './context/base-instructions.js';
import { contextEntries } from './context/context-entries.js';
import type { ContextSnapshot } from './context/context-entries.js';
import type { Model, Usage } from './core/model.js';
import type { Price, TurnLimits, TurnResult, UserInput } from './core/turn.js';
import type { Runtime } from './create-runtime.js';

export type SessionOptions = {
  /** Runs the model's calls, and tells whoever listens to it of all that happens. */
  readonly runtime: Runtime;
  readonly model: Model;
  /** Names the conversation. Default: a name that nobody else has. */
  readonly id?: string;
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

export interface AgentSession {
  readonly id: string;
  /** One turn. Whatever happens in it is in the result; throws only when another turn is running. */
  send(input: UserInput, options?: SendOptions): Promise<TurnResult>;
  /** Has the model tell the conversation shorter. Throws a `ModelError` or `Aborted`. */
  compact(signal?: AbortSignal): Promise<void>;
  /** From the next turn on. The conversation stays, also with another model. */
  change(options: Partial<Omit<SessionOptions, 'id' | 'closing'>>): void;
  /** Of the whole conversation. */
  readonly usage: Usage;
}

export function createSession(first: SessionOptions): AgentSession {
  let options = first;
  let told: ContextSnapshot | undefined;

  function news(): ReturnType<ConversationSetup['news']> {
    const now = options.context?.();
    if (now === undefined) return [];
    const entries = contextEntries(now, told);
    told = now;
    return entries;
  }

  const conversation = createConversation(
    { ...setupOf(options), news },
    {
      id: first.id ?? uniqueId(),
      emit: (event) => options.runtime.emit(event),
      random: Math.random,
      ...(first.closing && { closing: first.closing }),
    },
  );
  return {
    ...conversation,
    get usage() {
      return conversation.usage;
    },
    change(changes) {
      options = { ...options, ...changes };
      conversation.change(setupOf(options));
    },
  };
}

function setupOf(options: SessionOptions): Omit<ConversationSetup, 'news'> {
  const { runtime, model, limits = {}, settings = {}, price, compactAt } = options;
  return {
    model,
    settings,
    limits,
    instructions: options.instructions ?? baseInstructions(adviceOf(runtime)),
    tools: () => runtime.advertised,
    run: (call, context) => runtime.runCall(call, context),
    ...(price && { price }),
    ...(compactAt !== undefined && { compactAt }),
  };
}

/** What the tools that the model is told of have to say on how to use them well. */
function adviceOf({ tools, advertised }: Runtime): readonly string[] {
  const names = new Set(advertised.map(({ name }) => name));
  return tools.flatMap(({ spec, advice }) => (names.has(spec.name) && advice !== undefined ? [advice] : []));
}

/** Begins with the time, so that names sort as they came (the seventh version of a UUID). */
function uniqueId(): string {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('');
  const time = Date.now().toString(16).padStart(12, '0');
  const variant = '89ab'.charAt(Math.floor(Math.random() * 4));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
}
