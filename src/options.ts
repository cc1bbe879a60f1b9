/** What a runtime can be given. Everything it uses can be replaced. */
import type { ApprovalDeadline, Approver, KeepRules } from './core/approval.js';
import type { Judge } from './core/effects.js';
import type { EnvironmentPolicy } from './core/environment-policy.js';
import { ConfigError } from './core/errors.js';
import type { Listener } from './core/events.js';
import type { Hook } from './core/hook.js';
import type { Journal } from './core/journal.js';
import type { Ansi, Budget } from './core/output.js';
import { absolutePath } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import type { SandboxSettings } from './core/sandbox-settings.js';
import type { Selection } from './core/selection.js';
import type { ToolLimits } from './core/tool-limits.js';
import type { Tool } from './core/tool.js';
import type { Confine, ProcessOwner, SandboxMode, TerminalSize, Workspace } from './core/workspace.js';
import type { WebSearchSettings } from './open-web-search.js';
import type { ApprovalPolicy } from './policy/approval-policy.js';
import type { RuleStore } from './rules/rules.js';
import { homeFolder } from './store/home.js';

export type RuntimeOptions = {
  /** The workspace folder. Default: the current one. */
  readonly cwd?: string;
  /** Where the user's rules are, and outputs too long for the model. Default: `$TENON_HOME`, else `~/.tenon`. */
  readonly home?: string;
  /** Your own tools, beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Default: all of them. Pass a filtered list to leave some out or to make room for one of your own. */
  readonly builtinTools?: readonly Tool[];
  /** What stands in the place of each tool, the built-in ones too, under its name. Default: the tool itself. */
  readonly standIn?: (tool: Tool) => Tool;
  readonly selection?: Partial<Selection>;
  /** How much of one answer the model sees. Default 10,000 tokens. */
  readonly outputBudget?: Budget;
  /** Whether the model sees escape sequences for colours and cursor movement. Default `strip`. */
  readonly outputAnsi?: Ansi;
  /** Default `on-request`. */
  readonly approvalPolicy?: ApprovalPolicy;
  /** Default `workspace-write`. */
  readonly sandboxMode?: SandboxMode;
  /** Refuses what would have to run without a sandbox, instead of asking. Default false. */
  readonly sandboxRequired?: boolean;
  /** What confines commands and to what. */
  readonly sandbox?: SandboxSettings;
  /** Runs each command that is not known to be harmless on a copy first, and asks whether to keep what it changed. */
  readonly preview?: boolean;
  /** Whether what calls replace is kept in `home`, so that it can be taken back. Default true; for this machine only. */
  readonly keepChanges?: boolean;
  /** Answers the questions of the policy. Without one, every question is a no. */
  readonly approver?: Approver;
  /** What becomes of a question that nobody answers. Default: a no after one hour. */
  readonly approvalDeadline?: ApprovalDeadline;
  /** The user's rules, read before the first call is judged. Default: those in the `rules` folder of `home`. */
  readonly rules?: RuleStore;
  /** Writes down what was allowed for good. Default: what `rules` does. */
  readonly keepRules?: KeepRules;
  readonly hooks?: readonly Hook[];
  /** Hear everything from the beginning; `runtime.on` adds more later. */
  readonly listeners?: readonly Listener[];
  /** Decides in place of the built-in policy and its rules. */
  readonly judge?: Judge;
  /** Your own sandbox. It is taken at its word that it confines commands. */
  readonly confine?: Confine;
  readonly journal?: Journal;
  /** Where calls run. Default: this machine. Whoever makes one closes it. */
  readonly workspace?: Workspace & Partial<ProcessOwner>;
  /** Which of your environment variables commands get. */
  readonly environmentPolicy?: EnvironmentPolicy;
  /** False makes every shell a plain one. Default true. */
  readonly allowLoginShell?: boolean;
  /** The size of the terminals that commands get. Default 80 by 24. */
  readonly terminalSize?: TerminalSize;
  /** How much the tools may do in all. */
  readonly toolLimits?: ToolLimits;
  /** A file that every event is added to. Once it cannot be written, no call runs. Default: none. */
  readonly auditLog?: string;
  /** Lets the model search the web. Default: it cannot. */
  readonly webSearch?: WebSearchSettings;
};

/** `$TENON_HOME`, else `~/.tenon`. */
export function defaultHome(): AbsolutePath {
  const home = homeFolder();
  if (home === undefined)
    throw new ConfigError(`TENON_HOME must be an absolute path, not ${process.env['TENON_HOME']}`);
  return absolutePath(home);
}

/** A limit that is no number would hold nothing. */
export function limitOf(name: keyof ToolLimits, { toolLimits }: RuntimeOptions): number | undefined {
  const most = toolLimits?.[name];
  if (most === undefined || (Number.isSafeInteger(most) && most >= 0)) return most;
  throw new ConfigError(`toolLimits.${name} has to be a whole number, not ${most}`);
}
