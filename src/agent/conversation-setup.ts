/** What a conversation works with. Between two turns any of it may change. */
import type { ToolCall } from '../core/call.js';
import type { InputEntry, Model, ModelRequest } from '../core/model.js';
import type { CallResult } from '../core/outcome.js';
import type { ToolSpec } from '../core/tool.js';
import type { Price, TurnLimits } from '../core/turn.js';

export type RequestSettings = Pick<
  ModelRequest,
  'parallelToolCalls' | 'reasoningEffort' | 'reasoningSummary' | 'verbosity' | 'maxOutputTokens'
>;

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
