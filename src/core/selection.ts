/** Which tools a model is offered: the sum of configuration, feature flags and model family. */

export const SHELL_TYPES = ['disabled', 'shell', 'local_shell', 'shell_command', 'unified_exec'] as const;
export type ShellType = (typeof SHELL_TYPES)[number];

export type Selection = {
  readonly shellType: ShellType;
  /** Experimental tools that were asked for, by name. */
  readonly experimental: readonly string[];
  /** The user's last word on single tools: true advertises, false removes. */
  readonly overrides: Readonly<Record<string, boolean>>;
};

export const DEFAULT_SELECTION: Selection = { shellType: 'unified_exec', experimental: [], overrides: {} };
