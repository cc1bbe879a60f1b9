/** A turn as whoever started it sees it: from what the user says to the model's last word. */
import type { ModelError, Usage } from './model.js';
import type { ContentPart } from './output.js';

export type UserInput = string | readonly ContentPart[];

/** Bounds of one turn; what is not given is not bounded. */
export type TurnLimits = {
  /** How often the model may be asked. */
  readonly requests?: number;
  readonly wallMs?: number;
  /** Input and output tokens together. */
  readonly tokens?: number;
  readonly costUsd?: number;
  /** What was said to the running turn and came too late for it. */
  readonly unheard?: readonly UserInput[];
};

/** What a million tokens cost, in US dollars. */
export type Price = { readonly input: number; readonly cachedInput?: number; readonly output: number };

export type TurnStatus = 'completed' | 'interrupted' | 'failed' | 'stopped';

export type TurnError = {
  /** `limit`, `repetition`, `fatal` or what kind of `ModelError` it was. */
  readonly kind: ModelError['kind'] | 'limit' | 'repetition' | 'fatal' | 'length' | 'filter';
  readonly message: string;
  readonly status?: number;
};

export type TurnResult = {
  readonly turn: string;
  readonly status: TurnStatus;
  /** The model's last message, if it said anything. */
  readonly message?: string;
  readonly error?: TurnError;
  /** Of this turn, and of the whole conversation. */
  readonly usage: Usage;
  readonly total: Usage;
  readonly requests: number;
  readonly costUsd?: number;
  /** What was said to the running turn and came too late for it. */
  readonly unheard?: readonly UserInput[];
};
