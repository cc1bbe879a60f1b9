/** The keys of `config.toml` about tools: which there are, how much they may do, and the older tables about them. */
import {
  array,
  boolean,
  enum as oneOf,
  int,
  maximum,
  minimum,
  object,
  optional,
  record,
  refine,
  string,
  union,
} from 'zod/mini';

import { SANDBOX_BACKENDS } from '../core/sandbox-settings.js';
import { PATCH_FACES, SHELL_TYPES } from '../core/selection.js';
import { APPROVAL_WORDS } from '../policy/approval-policy.js';
import { parseSize } from './parse-size.js';

export const featuresSchema = () =>
  object({
    shell_tool: optional(boolean()),
    unified_exec: optional(boolean()),
    apply_patch_freeform: optional(boolean()),
    undo: optional(boolean()),
  });

/** `name = false`, or `[tools.name] enabled = false`. */
export const toolsSchema = () => record(string(), union([boolean(), object({ enabled: boolean() })]));

export const searchBackendSchema = () =>
  object({
    kind: oneOf(['searxng', 'brave', 'tavily']),
    base_url: optional(string()),
    env_key: optional(string()),
    max_results: optional(int().check(minimum(1), maximum(20))),
  });

/** What both of the older tables say; it is the same as the key of that name above all tables. */
const policyKeys = () => ({
  approval_policy: optional(oneOf(APPROVAL_WORDS)),
  sandbox_policy: optional(oneOf(SANDBOX_BACKENDS)),
});

const size = () =>
  union([
    int().check(minimum(0)),
    string().check(refine((text) => parseSize(text) !== undefined, 'write a size as "100MB", or as a number of bytes')),
  ]);

export const securitySchema = () =>
  object({
    ...policyKeys(),
    allowed_network_domains: optional(array(string())),
    max_shell_commands_per_session: optional(int().check(minimum(0))),
    max_file_access_size: optional(size()),
    audit_log_enabled: optional(boolean()),
    audit_log_path: optional(string()),
  });

/** What `old-tables.ts` knows a place for. */
export const toolConfigSchema = () =>
  object({
    ...policyKeys(),
    shell_type: optional(oneOf(SHELL_TYPES)),
    apply_patch_tool_type: optional(oneOf(PATCH_FACES)),
    experimental_supported_tools: optional(array(string())),
    web_search_request: optional(boolean()),
    tools_web_search_request: optional(boolean()),
    include_plan_tool: optional(boolean()),
    include_apply_patch_tool: optional(boolean()),
    include_view_image_tool: optional(boolean()),
    use_experimental_streamable_shell_tool: optional(boolean()),
  });
