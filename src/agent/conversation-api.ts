/** A conversation as whoever leads it sees it. */
import type { Emit } from '../core/events.js';
import type { OutputSchema, Usage } from '../core/model.js';
import type { SessionLine } from '../core/session-log.js';
import type { TurnResult, UserInput } from '../core/turn.js';
import type { ConversationSetup } from './conversation-setup.js';
import type { Keeping } from './keeping.js';
import type { Past } from './past.js';

export type SendOptions = {
  readonly signal?: AbortSignal;
  /** What the final answer of this turn has to look like. */
  readonly outputSchema?: OutputSchema;
};

export interface Conversation {
  readonly id: string;
  /** One turn. Whatever happens in it is in the result; throws only when another turn is running. */
  send(input: UserInput, options?: SendOptions): Promise<TurnResult>;
  /** Goes on with a turn that was cut off when its program was stopped. Throws when there is none. */
  goOn(options?: SendOptions): Promise<TurnResult>;
  /** Whether there is such a turn. */
  readonly unfinished: boolean;
  /** Says something to the model while a turn runs. False when none does: it is to be sent then. */
  steer(input: UserInput): boolean;
  /** Ends the running turn, if there is one, and resolves when it has ended. */
  interrupt(): Promise<void>;
  /** Has the model tell the conversation shorter. Throws a `ModelError` or `Aborted`, and while a turn is unfinished. */
  compact(signal?: AbortSignal): Promise<void>;
  /** From the next turn on. */
  change(setup: Partial<ConversationSetup>): void;
  /** Tells the model something before the next turn. */
  note(text: string): void;
  /** What another one has to begin with to go on as this one would. Throws while a turn runs, or one is unfinished. */
  copy(): SessionLine;
  /** Of the whole conversation. */
  readonly usage: Usage;
  /** The latest, whether it runs or has ended. */
  readonly turn: string | undefined;
  /** What it began with. */
  readonly past: Past;
  /** Whether a call of that name is one of this conversation's. */
  owns(callId: string): boolean;
}

export type ConversationParts = {
  readonly id: string;
  readonly emit: Emit;
  readonly random: () => number;
  /** Ends the turn that runs, and every later one. */
  readonly closing?: AbortSignal;
  /** Where it is written down. */
  readonly keeping?: Keeping;
  /** What was written down before. */
  readonly lines?: readonly SessionLine[];
};
