/**
 * A user's own code before and after a call. A hook that crashes blocks: a guard that fails must not let pass. It runs
 * in the call's turn, so it must not wait for another call of the same runtime.
 */
import type { Payload, ToolCall } from './call.js';
import type { PlainOutput } from './output.js';

export type BeforeCall =
  | { readonly kind: 'continue' }
  /** Runs with this payload in place of the model's; it is parsed and judged like any other. */
  | { readonly kind: 'rewrite'; readonly payload: Payload }
  | { readonly kind: 'block'; readonly reason: string };

export type AfterCall =
  | { readonly kind: 'keep' }
  | { readonly kind: 'replace'; readonly output: PlainOutput }
  /** The model gets the reason in place of the result. */
  | { readonly kind: 'block'; readonly reason: string };

export interface Hook {
  readonly name: string;
  beforeCall?(call: ToolCall, signal: AbortSignal): Promise<BeforeCall> | BeforeCall;
  afterCall?(call: ToolCall, output: PlainOutput, signal: AbortSignal): Promise<AfterCall> | AfterCall;
}
