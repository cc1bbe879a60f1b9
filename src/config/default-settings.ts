/**
 * What holds where nobody has said anything, for people who look at their settings. What depends on the model or on other
 * settings is not listed.
 */
import { DEFAULT_DEADLINE } from '../core/approval.js';
import { DEFAULT_ENVIRONMENT_POLICY } from '../core/environment-policy.js';
import { DEFAULT_SANDBOX_MODE } from '../core/workspace.js';
import { DEFAULT_APPROVAL_POLICY } from '../policy/approval-policy.js';
import type { Config } from './config-schema.js';
import { DEFAULT_PROVIDER } from './model-settings.js';

export const DEFAULT_SETTINGS: Config = {
  model_provider: DEFAULT_PROVIDER,
  project_doc_max_bytes: 32_768,
  project_doc_fallback_filenames: [],
  hide_agent_reasoning: false,
  approval_policy: DEFAULT_APPROVAL_POLICY,
  approval_timeout_seconds: DEFAULT_DEADLINE.ms / 1000,
  approval_timeout_decision: DEFAULT_DEADLINE.decision,
  sandbox_mode: DEFAULT_SANDBOX_MODE,
  sandbox_policy: 'auto',
  sandbox_workspace_write: {
    writable_roots: [],
    network_access: false,
    exclude_tmpdir_env_var: false,
    exclude_slash_tmp: false,
  },
  sandbox: { hide: [], show: [], unix_sockets: 'none', watch_paths: false },
  preview: false,
  allow_login_shell: true,
  shell_environment_policy: {
    inherit: DEFAULT_ENVIRONMENT_POLICY.inherit,
    ignore_default_excludes: DEFAULT_ENVIRONMENT_POLICY.ignoreDefaultExcludes,
    exclude: [...DEFAULT_ENVIRONMENT_POLICY.exclude],
    include_only: [...DEFAULT_ENVIRONMENT_POLICY.includeOnly],
  },
  output_ansi: 'strip',
  experimental_supported_tools: [],
  features: { shell_tool: true, unified_exec: true, apply_patch_freeform: false, undo: true },
  tool_security: { allowed_network_domains: [] },
};
