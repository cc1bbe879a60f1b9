/** Which tools a model is offered: the sum of configuration, feature flags and model family. */

export const SHELL_TYPES = ['disabled', 'shell', 'local_shell', 'shell_command', 'unified_exec'] as const;
export type ShellType = (typeof SHELL_TYPES)[number];

/** How a model hands over a patch: as free text, as an argument, or as the content to replace and its replacement. */
export const PATCH_FACES = ['freeform', 'function', 'structured', 'none'] as const;
export type PatchFace = (typeof PATCH_FACES)[number];

export type Selection = {
  readonly shellType: ShellType;
  /** With `none` the model is not told, but may hand over patches all the same. */
  readonly patchFace: PatchFace;
  /** Whether the model can look at images. */
  readonly images: boolean;
  /** Experimental tools that were asked for, by name. */
  readonly experimental: readonly string[];
  /** The user's last word on single tools: true advertises, false removes. */
  readonly overrides: Readonly<Record<string, boolean>>;
};

export const DEFAULT_SELECTION: Selection = {
  shellType: 'unified_exec',
  patchFace: 'freeform',
  images: true,
  experimental: [],
  overrides: {},
};
