/** Which of the user's environment variables a command gets to see. */

export const ENVIRONMENT_INHERITS = ['all', 'core', 'none'] as const;

export type EnvironmentPolicy = {
  /** What a command starts from: everything, what programs cannot do without, or nothing. */
  readonly inherit: (typeof ENVIRONMENT_INHERITS)[number];
  /** True keeps the names that look like secrets. */
  readonly ignoreDefaultExcludes: boolean;
  /** Patterns with `*`, `?` and `[abc]`, in any case. */
  readonly exclude: readonly string[];
  /** The user's own word: wins over everything else. */
  readonly set: Readonly<Record<string, string>>;
  /** Patterns as in `exclude`; when there are any, only names that match remain. */
  readonly includeOnly: readonly string[];
};

export const DEFAULT_ENVIRONMENT_POLICY: EnvironmentPolicy = {
  inherit: 'all',
  ignoreDefaultExcludes: false,
  exclude: [],
  set: {},
  includeOnly: [],
};
