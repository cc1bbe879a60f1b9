/**
 * What running a call would touch, and what the policy says to it. Effects are plain data: the same judge serves
 * running, explaining and testing.
 */
import type { SessionId } from './ids.js';
import type { AbsolutePath } from './paths.js';

export type Effect =
  | { readonly kind: 'read'; readonly path: AbsolutePath }
  | { readonly kind: 'write'; readonly path: AbsolutePath; readonly diff?: string }
  | {
      readonly kind: 'exec';
      readonly argv: readonly string[];
      readonly cwd: AbsolutePath;
      /** The plain commands of its script, when it surely consists of nothing else. */
      readonly commands?: readonly (readonly string[])[];
    }
  /** Typing into a running program is an act too. */
  | {
      readonly kind: 'type';
      readonly session: SessionId;
      readonly text: string;
      /** Whether the program is confined; the spine says so, if there is such a session. */
      readonly confined?: boolean;
    }
  | { readonly kind: 'connect'; readonly host: string; readonly port?: number }
  | {
      readonly kind: 'remote';
      readonly server: string;
      readonly tool: string;
      readonly readOnly: boolean;
      readonly destructive: boolean;
    };

/** `escalate` is set when the model asked to leave the sandbox, with the reason it gave. */
export type Intent = { readonly effects: readonly Effect[]; readonly escalate?: { readonly reason: string } };

/** Where a verdict comes from, so that a person can find and change it. */
export type Rule = { readonly name: string; readonly file?: string; readonly line?: number };

/** How a call may run: confined or not, and with which rights beyond its profile. */
export type Permission = { readonly confined: boolean; readonly grants: readonly Grant[] };

export type Verdict =
  | { readonly kind: 'allow'; readonly confined: boolean; readonly rule: Rule }
  | ({ readonly kind: 'ask'; readonly reason: string; readonly rule: Rule } & Permission)
  | { readonly kind: 'deny'; readonly reason: string; readonly rule: Rule };

/** A single right that can be added to a profile. */
export type Grant =
  | { readonly kind: 'read'; readonly path: AbsolutePath }
  | { readonly kind: 'write'; readonly path: AbsolutePath }
  | { readonly kind: 'connect'; readonly host: string };

/** Decides on an intent. `missing` is what a first, confined attempt was proven to lack. */
export type Judge = (intent: Intent, missing: readonly Grant[]) => Verdict;
