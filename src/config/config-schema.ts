/**
 * The keys of `config.toml`, put together from those of each subject. Spelled as in Codex wherever the same key exists
 * there, so that a file carries over.
 */
import path from 'node:path';
import {
  array,
  boolean,
  enum as oneOf,
  int,
  minimum,
  number,
  object,
  optional,
  record,
  refine,
  string,
} from 'zod/mini';
import type { z } from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';

import { ANSI_CHOICES } from '../core/output.js';
import { SANDBOX_BACKENDS } from '../core/sandbox-settings.js';
import { PATCH_FACES, SHELL_TYPES } from '../core/selection.js';
import { WEB_SEARCH_MODES } from '../core/web-search.js';
import { SANDBOX_MODES } from '../core/workspace.js';
import { APPROVAL_WORDS } from '../policy/approval-policy.js';
import { modelKeys } from './model-schema.js';
import { environmentSchema, sandboxSchema, workspaceWriteSchema } from './sandbox-schema.js';
import { featuresSchema, searchBackendSchema, securitySchema, toolConfigSchema, toolsSchema } from './tool-schema.js';

/** What a profile can say as well. Each schema is made when its key is used: most are not, and all take a while. */
const settings = {
  ...modelKeys,
  approval_policy: () => optional(oneOf(APPROVAL_WORDS)),
  approval_timeout_seconds: () => optional(number().check(minimum(0.001))),
  approval_timeout_decision: () => optional(oneOf(['deny', 'abort'])),
  sandbox_mode: () => optional(oneOf(SANDBOX_MODES)),
  /** What confines commands. */
  sandbox_policy: () => optional(oneOf(SANDBOX_BACKENDS)),
  sandbox_workspace_write: () => optional(workspaceWriteSchema()),
  sandbox: () => optional(sandboxSchema()),
  shell_type: () => optional(oneOf(SHELL_TYPES)),
  apply_patch_tool_type: () => optional(oneOf(PATCH_FACES)),
  /** Runs each command on a copy first, and asks whether to keep what it changed. */
  preview: () => optional(boolean()),
  allow_login_shell: () => optional(boolean()),
  shell_environment_policy: () => optional(environmentSchema()),
  output_ansi: () => optional(oneOf(ANSI_CHOICES)),
  experimental_supported_tools: () => optional(array(string())),
  tool_output_token_limit: () => optional(int().check(minimum(0))),
  web_search: () => optional(oneOf(WEB_SEARCH_MODES)),
  web_search_backend: () => optional(searchBackendSchema()),
  features: () => optional(featuresSchema()),
  tools: () => optional(toolsSchema()),
  tool_security: () => optional(securitySchema()),
  tool_config: () => optional(toolConfigSchema()),
};

/** A relative folder would mean another one wherever the program is started. */
const projectsSchema = () =>
  record(string(), object({ trust_level: oneOf(['trusted', 'untrusted']) })).check(
    refine(
      (projects) => Object.keys(projects).every((folder) => path.isAbsolute(folder)),
      'name each folder by its whole path, from / on',
    ),
  );

const keys = {
  ...settings,
  profile: () => optional(string()),
  profiles: () => optional(record(string(), object(made(settings)))),
  /** Counts in the user's own file only. */
  projects: () => optional(projectsSchema()),
};

type Made<Makers> = { readonly [Key in keyof Makers]: Makers[Key] extends () => infer Schema ? Schema : never };

export type Config = z.infer<z.ZodMiniObject<Made<typeof keys>>>;

export const CONFIG_KEYS: readonly string[] = Object.keys(keys);

/** What a value of one of the keys has to be. */
export function schemaOfKey(key: string): $ZodType {
  return keys[key as keyof typeof keys]();
}

/** For a table that has no other keys, or for any. */
export function configSchema(present: readonly string[] = CONFIG_KEYS): z.ZodMiniObject<Made<typeof keys>> {
  return object(made(keys, present));
}

function made<Makers extends Readonly<Record<string, () => $ZodType>>>(
  makers: Makers,
  names: readonly string[] = Object.keys(makers),
): Made<Makers> {
  const wanted = Object.entries(makers).filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted.map(([name, make]) => [name, make()])) as Made<Makers>;
}
