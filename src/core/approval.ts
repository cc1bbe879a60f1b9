/** Asking somebody. A terminal, a headless run, a library and an editor are only different answerers. */
import type { ToolCall } from './call.js';
import type { Finding, Intent, Permission, ProposedRule, DecidingRule } from './effects.js';
import type { Presentation } from './tool.js';

export type ApprovalRequest = {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly presentation: Presentation;
  /** Why it is asked. What the model says for itself is in `intent.escalate`. */
  readonly reason: string;
  readonly rule: DecidingRule;
  /** What the call consists of and what the policy says to each part. */
  readonly findings?: readonly Finding[];
  /** How the call will run if the answer is yes. A second attempt keeps what the first was given. */
  readonly permission: Permission;
  /** What "always" would write down; absent when no rule could answer such a question. */
  readonly proposal?: readonly ProposedRule[];
  /** Whether it can be answered with "preview". */
  readonly previewable?: boolean;
  /** Whether a yes is for this once, whatever the answer says. */
  readonly onlyOnce?: boolean;
};

export type Decision =
  | { readonly kind: 'once' }
  /** Once, but on a copy first: what it changed there is shown, and made real after another yes. */
  | { readonly kind: 'preview' }
  /** Also for the same call in the same place until the runtime closes. */
  | { readonly kind: 'session' }
  /** For good: the proposed rules are added to the user's. */
  | { readonly kind: 'always' }
  /** `note` is read by the model. */
  | { readonly kind: 'deny'; readonly note?: string }
  /** Deny, and end the turn. */
  | { readonly kind: 'abort' };

/** The signal fires as soon as the question is over, whoever ended it; its reason is an error that says how in words. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<Decision>;

/** Leaves every question open for whoever answers through `Approvals`. */
export const answeredElsewhere: Approver = () => new Promise(() => {});

/** A question that waits for its answer. */
export type PendingApproval = {
  /** The id of its call; a later question with the same id gets `ID#2`, so that no answer reaches another one. */
  readonly id: string;
  readonly request: ApprovalRequest;
  /** ISO 8601 time. */
  readonly askedAt: string;
  /** When it is answered by itself. */
  readonly deadline?: string;
};

/** The open questions, for anybody who can answer one before the approver does. */
export interface Approvals {
  /** The oldest first. */
  list(): readonly PendingApproval[];
  /** False when there is no such question, or no longer. Throws a `TypeError` for what is no decision. */
  answer(id: string, decision: Decision): boolean;
}

/** What becomes of a question that nobody answers. */
export type ApprovalDeadline = {
  /** `Infinity` for as long as it takes. */
  readonly ms: number;
  readonly decision: 'deny' | 'abort';
};

export const DEFAULT_DEADLINE: ApprovalDeadline = { ms: 3_600_000, decision: 'deny' };

/** Writes proposed rules down for good; resolves to where they stand. */
export type KeepRules = (proposal: readonly ProposedRule[]) => Promise<readonly DecidingRule[]>;
