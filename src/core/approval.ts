/** Asking somebody. A terminal, a headless run, a library and an editor are only different answerers. */
import type { ToolCall } from './call.js';
import type { Grant, Intent, Rule } from './effects.js';
import type { Presentation } from './tool.js';

export type ApprovalRequest = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  readonly cwd: string;
  readonly reason: string;
  readonly rule: Rule;
  /** Whether the call would run confined once it is approved. */
  readonly confined: boolean;
  /** The rights a first attempt was proven to lack; a yes grants these and no others. */
  readonly missing: readonly Grant[];
};

export type Decision =
  | { readonly kind: 'once' }
  /** Also for the same call in the same place until the runtime closes. */
  | { readonly kind: 'session' }
  /** `note` is read by the model. */
  | { readonly kind: 'deny'; readonly note?: string }
  /** Deny and cancel the call as if the user had interrupted it. */
  | { readonly kind: 'abort' };

export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<Decision>;
