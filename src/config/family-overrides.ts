/** What the user says of model families, by prefix: `[model_families."PREFIX"]`. */
import type { PatchFace, ShellType } from '../core/selection.js';
import { familyName } from './family-name.js';

/** As it is spelled in the configuration. */
export type FamilyOverride = {
  readonly shell_type?: ShellType | undefined;
  readonly apply_patch_tool_type?: PatchFace | undefined;
  readonly supports_parallel_tool_calls?: boolean | undefined;
  readonly truncation?: { readonly mode: 'bytes' | 'tokens'; readonly limit: number } | undefined;
  readonly context_window?: number | undefined;
  readonly supports_images?: boolean | undefined;
};

export type FamilyOverrides = Readonly<Record<string, FamilyOverride>>;

/** The longest prefix that fits the name decides, with what is in front of the name or without it. */
export function familyOverride(model: string | undefined, overrides: FamilyOverrides = {}): FamilyOverride | undefined {
  if (model === undefined) return undefined;
  const names = [model.toLowerCase(), familyName(model)];
  const fitting = Object.keys(overrides)
    .filter((prefix) => names.some((name) => name.startsWith(prefix.toLowerCase())))
    .toSorted((one, other) => other.length - one.length);
  return fitting[0] === undefined ? undefined : overrides[fitting[0]];
}
