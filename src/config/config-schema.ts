/** The keys of `config.toml`. Spelled as in Codex wherever the same key exists there, so that a file carries over. */
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
  pipe,
  record,
  refine,
  string,
  transform,
  union,
} from 'zod/mini';
import type { z } from 'zod/mini';

import { ENVIRONMENT_INHERITS } from '../core/environment-policy.js';
import { ANSI_CHOICES } from '../core/output.js';
import { SANDBOX_BACKENDS } from '../core/sandbox-settings.js';
import { PATCH_FACES, SHELL_TYPES } from '../core/selection.js';
import { SANDBOX_MODES } from '../core/workspace.js';
import { APPROVAL_WORDS } from '../policy/approval-policy.js';

/** A variable is text to a command, but nobody quotes `CI = 1` or `DEBUG = true`. */
const variable = pipe(union([string(), number(), boolean()]), transform(String));

const environmentSchema = object({
  inherit: optional(oneOf(ENVIRONMENT_INHERITS)),
  ignore_default_excludes: optional(boolean()),
  exclude: optional(array(string())),
  set: optional(record(string(), variable)),
  include_only: optional(array(string())),
});

const amount = optional(number().check(minimum(1)));

/** As in Codex; only for the mode of that name. */
const workspaceWriteSchema = object({
  writable_roots: optional(array(string())),
  network_access: optional(boolean()),
  exclude_tmpdir_env_var: optional(boolean()),
  exclude_slash_tmp: optional(boolean()),
});

const limitsSchema = object({
  memory_mb: amount,
  processes: amount,
  cpu_seconds: amount,
  file_mb: amount,
  wall_seconds: amount,
});

const sandboxSchema = object({
  hide: optional(array(string())),
  show: optional(array(string())),
  unix_sockets: optional(oneOf(['none', 'private'])),
  watch_paths: optional(boolean()),
  limits: optional(limitsSchema),
  chroot_root: optional(string()),
  container_engine: optional(string()),
  vm_kernel: optional(string()),
});

const securitySchema = object({ allowed_network_domains: optional(array(string())) });

const featuresSchema = object({
  shell_tool: optional(boolean()),
  unified_exec: optional(boolean()),
  apply_patch_freeform: optional(boolean()),
  undo: optional(boolean()),
});

/** A relative folder would mean another one wherever the program is started. */
const projectsSchema = record(string(), object({ trust_level: oneOf(['trusted', 'untrusted']) })).check(
  refine(
    (projects) => Object.keys(projects).every((folder) => path.isAbsolute(folder)),
    'name each folder by its whole path, from / on',
  ),
);

export const configSchema = object({
  model: optional(string()),
  approval_policy: optional(oneOf(APPROVAL_WORDS)),
  approval_timeout_seconds: optional(number().check(minimum(0.001))),
  approval_timeout_decision: optional(oneOf(['deny', 'abort'])),
  sandbox_mode: optional(oneOf(SANDBOX_MODES)),
  /** What confines commands. */
  sandbox_policy: optional(oneOf(SANDBOX_BACKENDS)),
  sandbox_workspace_write: optional(workspaceWriteSchema),
  sandbox: optional(sandboxSchema),
  tool_security: optional(securitySchema),
  shell_type: optional(oneOf(SHELL_TYPES)),
  apply_patch_tool_type: optional(oneOf(PATCH_FACES)),
  /** Runs each command on a copy first, and asks whether to keep what it changed. */
  preview: optional(boolean()),
  allow_login_shell: optional(boolean()),
  shell_environment_policy: optional(environmentSchema),
  output_ansi: optional(oneOf(ANSI_CHOICES)),
  experimental_supported_tools: optional(array(string())),
  tool_output_token_limit: optional(int().check(minimum(0))),
  features: optional(featuresSchema),
  /** `name = false`, or `[tools.name] enabled = false`. */
  tools: optional(record(string(), union([boolean(), object({ enabled: boolean() })]))),
  /** Counts in the user's own file only. */
  projects: optional(projectsSchema),
});

export type Config = z.infer<typeof configSchema>;

/** The known keys of the file and of the tables that have a fixed set of them. */
export const CONFIG_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  features: Object.keys(featuresSchema.shape),
  shell_environment_policy: Object.keys(environmentSchema.shape),
  sandbox_workspace_write: Object.keys(workspaceWriteSchema.shape),
  sandbox: Object.keys(sandboxSchema.shape),
  'sandbox.limits': Object.keys(limitsSchema.shape),
  tool_security: Object.keys(securitySchema.shape),
};
