/** What a verdict depends on beside the call itself. */
import type { Finding, Grant, ProposedRule } from '../core/effects.js';
import type { AbsolutePath } from '../core/paths.js';
import type { SandboxMode } from '../core/workspace.js';
import type { Reading, Segment, Surroundings } from '../shell/reading.js';
import type { ApprovalPolicy } from './approval-policy.js';
import type { RuleBook } from '../rules/rule-book.js';

export type JudgeContext = {
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxMode: SandboxMode;
  readonly writableRoots: readonly AbsolutePath[];
  readonly network: boolean;
  readonly confinement: Confinement;
  /** Refuses what would have to run without a sandbox, instead of asking. */
  readonly sandboxRequired: boolean;
  /** Folders that are not for writing although they lie inside of a root: they decide what may run next time. */
  readonly protectedFolders: readonly AbsolutePath[];
  /** Whether the model has asked to leave the sandbox. */
  readonly leaving?: boolean;
  /** Rights that a first attempt was proven to lack. */
  readonly missing: readonly Grant[];
  readonly rules: RuleBook;
  /** The home folder of the commands. */
  readonly home: AbsolutePath;
  /** The same path without links, as far as it exists. */
  readonly realPath: (path: string) => AbsolutePath;
  readonly reader: ShellReader;
};

/** Whether commands can be confined on this machine, and if not, why. */
export type Confinement =
  | {
      readonly kind: 'available';
      /** What the sandbox does not hold although it was asked for. */
      readonly weaker?: readonly string[];
    }
  | { readonly kind: 'none'; readonly reason: string };

/** Tells what command lines would run. */
export interface ShellReader {
  readArgv(argv: readonly string[], surroundings: Surroundings): Segment;
  /** Text as a shell would read it. */
  readText(script: string, surroundings: Surroundings): Reading;
}

/** A finding with what the judge needs to know of it beyond what people are shown. */
export type Part = Finding & {
  /** A question that a rule of the user's asks for: no further rule can answer it. */
  readonly prompted?: boolean;
  /** Allowed by a rule that needs no sandbox. */
  readonly unconfined?: boolean;
  /** The rules that would settle it. */
  readonly proposals?: readonly ProposedRule[];
};

/** Whether the sandbox will hold commands to the rules over files, so that nobody need guess. */
export function holdsPaths(context: JudgeContext): boolean {
  return isConfined(context) && context.rules.closed.isAll;
}

/** The same for hosts; an open network has no proxy that could look. */
export function holdsHosts(context: JudgeContext): boolean {
  return isConfined(context) && !context.network;
}

/** Whatever the call runs; what may leave the sandbox is not held by it. */
function isConfined({ sandboxMode, confinement, leaving, rules }: JudgeContext): boolean {
  return sandboxMode !== 'danger-full-access' && confinement.kind === 'available' && !leaving && !rules.freesCommands;
}
