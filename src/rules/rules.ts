/** What users wrote about what may run, as data. Where the files are read is another matter. */
import type { ProposedRule } from '../core/effects.js';
import type { AbsolutePath } from '../core/paths.js';

export const RULE_DECISIONS = ['allow', 'prompt', 'forbidden'] as const;
export type RuleDecision = (typeof RULE_DECISIONS)[number];

type Saying = {
  readonly decision: RuleDecision;
  readonly justification?: string;
  readonly file: string;
  readonly line: number;
};

/** Holds for commands that begin with these words; each place lists its alternatives. */
export type CommandRule = Saying & {
  readonly kind: 'command';
  readonly pattern: readonly (readonly string[])[];
  /** No further words may follow. */
  readonly exact: boolean;
  /** Holds in this folder and below it only. */
  readonly cwd?: AbsolutePath;
  /** Of an allowed command: it needs no sandbox. */
  readonly unconfined: boolean;
};

/** Holds for files. Patterns are absolute; `*` and `?` stay within a folder, `**` does not. */
export type PathRule = Saying & {
  readonly kind: 'path';
  readonly access: 'read' | 'write';
  readonly patterns: readonly string[];
};

/** Holds for hosts: `example.com`, or `*.example.com` for all below it. */
export type HostRule = Saying & { readonly kind: 'host'; readonly hosts: readonly string[] };

/** Holds for tools of MCP servers, as `server/tool`, where `*` stands for anything. */
export type McpRule = Saying & { readonly kind: 'mcp'; readonly tools: readonly string[] };

/** Holds for lines typed into a session, where `*` stands for anything. */
export type TypedRule = Saying & {
  readonly kind: 'typed';
  readonly text: readonly string[];
  /** Only into programs whose command begins like this. */
  readonly program?: readonly (readonly string[])[];
};

export type Rule = CommandRule | PathRule | HostRule | McpRule | TypedRule;
export type Rules = readonly Rule[];

/** Where rules come from, and where those go that are given for good. */
export interface RuleStore {
  /** Throws a `ConfigError` when they cannot all be read. */
  load(): Promise<Rules>;
  /** Absent when none can be added. */
  save?(proposed: readonly ProposedRule[]): Promise<Rules>;
}
