/**
 * What running a call would touch, and what the policy says to it. Effects are plain data: the same judge serves
 * running, explaining and testing.
 */
import type { SessionId } from './ids.js';
import type { AbsolutePath } from './paths.js';

export type Effect =
  | { readonly kind: 'read'; readonly path: AbsolutePath }
  | { readonly kind: 'write'; readonly path: AbsolutePath; readonly diff?: string }
  | { readonly kind: 'exec'; readonly argv: readonly string[]; readonly cwd: AbsolutePath }
  /** Typing into a running program is an act too. */
  | {
      readonly kind: 'type';
      readonly session: SessionId;
      readonly text: string;
      /** Whether the program is confined; the spine says so, if there is such a session, as it says what follows. */
      readonly confined?: boolean;
      /** The command that the session runs. */
      readonly program?: readonly string[];
      /** Where that was started. */
      readonly cwd?: AbsolutePath;
      /** What was typed on the same line before. */
      readonly line?: string;
    }
  | { readonly kind: 'connect'; readonly host: string; readonly port?: number }
  | {
      readonly kind: 'remote';
      readonly server: string;
      readonly tool: string;
      /** Where the server is, if that is known: rules that restrict hosts hold for it. */
      readonly host?: string;
      readonly readOnly: boolean;
      readonly destructive: boolean;
    };

/** `escalate` is set when the model asked to leave the sandbox, with the reason it gave. */
export type Intent = { readonly effects: readonly Effect[]; readonly escalate?: { readonly reason: string } };

/** Whether it would change files by a patch, for which models know words of their own. */
export function isPatch({ effects }: Intent): boolean {
  return effects.some((effect) => effect.kind === 'write' && effect.diff !== undefined);
}

/** Where a verdict comes from, so that a person can find and change it. */
export type DecidingRule = {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  /** What whoever wrote the rule says of it. */
  readonly justification?: string;
};

/** How a call may run: confined or not, and with which rights beyond its profile. */
export type Permission = { readonly confined: boolean; readonly grants: readonly Grant[] };

export type Verdict = {
  readonly rule: DecidingRule;
  /** What the call consists of and what is said to each part. */
  readonly findings?: readonly Finding[];
} &
  /** `harmless`: all of it is known to change nothing. */
  (
    | ({ readonly kind: 'allow'; readonly harmless?: boolean } & Permission)
    | ({
        readonly kind: 'ask';
        readonly reason: string;
        /** The narrowest rules that would have answered the question. */
        readonly proposal?: readonly ProposedRule[];
        /** One sentence on what would be allowed without asking, for a model whose question stays without an answer. */
        readonly instead?: string;
        /** What a yes for the session covers: another call is covered when each of its keys is. Default: the effects. */
        readonly keys?: readonly string[];
      } & Permission)
    | { readonly kind: 'deny'; readonly reason: string }
  );

/** One part of what a call would do: a command of a script, a file, a host. */
export type Finding = {
  readonly kind: 'command' | 'read' | 'write' | 'connect' | 'remote' | 'type' | 'unclear';
  /** For a person to read: the words of the command, the path, the host. */
  readonly subject: string;
  /** `neutral` leaves it to the approval policy and the sandbox. */
  readonly decision: 'allow' | 'safe' | 'neutral' | 'ask' | 'deny';
  readonly reason?: string;
  readonly rule?: DecidingRule;
};

/** A rule that allows something for good. */
export type ProposedRule =
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly cwd: AbsolutePath }
  | { readonly kind: 'read' | 'write'; readonly path: AbsolutePath }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string };

/** A single right that can be added to a profile. */
export type Grant =
  | { readonly kind: 'read'; readonly path: AbsolutePath }
  | { readonly kind: 'write'; readonly path: AbsolutePath }
  | { readonly kind: 'connect'; readonly host: string };

/** Decides on an intent. `missing` is what a first, confined attempt was proven to lack. */
export type Judge = (intent: Intent, missing: readonly Grant[]) => Verdict | Promise<Verdict>;
