/** What a conversation works with. Between two turns any of it may change. */
import type { ToolCall } from '../core/call.js';
import type { Journal } from '../core/journal.js';
import type { JsonObject } from '../core/json-object.js';
import type { InputEntry, Model, ModelRequest } from '../core/model.js';
import type { CallResult } from '../core/outcome.js';
import type { ToolSpec } from '../core/tool.js';
import type { Price, TurnLimits } from '../core/turn.js';
import type { Standing } from './standing.js';

export type RequestSettings = Pick<
  ModelRequest,
  'parallelToolCalls' | 'reasoningEffort' | 'reasoningSummary' | 'verbosity' | 'maxOutputTokens'
>;

export type RunOptions = { readonly signal: AbortSignal; readonly turn: string; readonly journal?: Journal };

export type News = {
  readonly entries: readonly InputEntry[];
  /** What they were made of. */
  readonly snapshot?: JsonObject;
};

export type ConversationSetup = {
  readonly model: Model;
  /** The base prompt. */
  readonly instructions: string;
  /** Those that the model is told of; looked at once, when a turn begins. */
  readonly tools: () => readonly ToolSpec[];
  readonly run: (call: ToolCall, options: RunOptions) => Promise<CallResult>;
  /** Takes a name for a call; false when another call has it. */
  readonly reserve: (callId: string) => boolean;
  /** Begins with what the first call may have to wait for; called while the model thinks. */
  readonly getReady: () => void;
  /** What the model has to be told before the next turn that it has not been told yet. */
  readonly news: () => News;
  /** What goes on beside the conversation, for when it is told shorter. */
  readonly standing: () => Standing;
  readonly settings: Partial<RequestSettings>;
  readonly limits: TurnLimits;
  readonly price?: Price;
  /** Tokens from which on the history is told shorter. Default: nine tenths of the model's window. */
  readonly compactAt?: number;
  /** Kept with the conversation, for whoever opens it again. */
  readonly restore?: JsonObject;
};
