/** Asking somebody. A terminal, a headless run, a library and an editor are only different answerers. */
import type { ToolCall } from './call.js';
import type { Intent, Permission, ProposedRule, Rule } from './effects.js';
import type { Presentation } from './tool.js';

export type ApprovalRequest = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  /** Why it is asked. What the model says for itself is in `intent.escalate`. */
  readonly reason: string;
  readonly rule: Rule;
  /** How the call will run if the answer is yes; it gets these rights and no others. */
  readonly permission: Permission;
  /** What "always" would write down; absent when no rule could answer such a question. */
  readonly proposal?: readonly ProposedRule[];
};

export type Decision =
  | { readonly kind: 'once' }
  /** Also for the same call in the same place until the runtime closes. */
  | { readonly kind: 'session' }
  /** For good: the proposed rules are added to the user's. */
  | { readonly kind: 'always' }
  /** `note` is read by the model. */
  | { readonly kind: 'deny'; readonly note?: string }
  /** Deny, and end the turn. */
  | { readonly kind: 'abort' };

export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<Decision>;
