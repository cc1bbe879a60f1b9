/** The keys of `config.toml`. Spelled as in Codex wherever the same key exists there, so that a file carries over. */
import { array, boolean, enum as oneOf, int, minimum, object, optional, record, string, union } from 'zod/mini';
import type { z } from 'zod/mini';

import { SHELL_TYPES } from '../core/selection.js';
import { SANDBOX_MODES } from '../core/workspace.js';
import { APPROVAL_WORDS } from '../policy/approval-policy.js';

export const configSchema = object({
  model: optional(string()),
  approval_policy: optional(oneOf(APPROVAL_WORDS)),
  sandbox_mode: optional(oneOf(SANDBOX_MODES)),
  shell_type: optional(oneOf(SHELL_TYPES)),
  experimental_supported_tools: optional(array(string())),
  tool_output_token_limit: optional(int().check(minimum(0))),
  features: optional(object({ shell_tool: optional(boolean()), unified_exec: optional(boolean()) })),
  /** `name = false`, or `[tools.name] enabled = false`. */
  tools: optional(record(string(), union([boolean(), object({ enabled: boolean() })]))),
});

export type Config = z.infer<typeof configSchema>;

/** The known keys of the file and of the tables that have a fixed set of them. */
export const CONFIG_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  features: ['shell_tool', 'unified_exec'],
};
