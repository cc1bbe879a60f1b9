/** From configuration to what a runtime takes: the place where config, feature flags and model family meet. */
import path from 'node:path';

import { DEFAULT_DEADLINE } from '../core/approval.js';
import type { ApprovalDeadline } from '../core/approval.js';
import { DEFAULT_ENVIRONMENT_POLICY } from '../core/environment-policy.js';
import type { EnvironmentPolicy } from '../core/environment-policy.js';
import { ConfigError } from '../core/errors.js';
import { BYTES_PER_TOKEN } from '../core/output.js';
import type { Ansi, Budget } from '../core/output.js';
import type { SandboxSettings } from '../core/sandbox-settings.js';
import type { PatchFace, Selection, ShellType } from '../core/selection.js';
import type { ToolLimits } from '../core/tool-limits.js';
import type { SearchBackendSettings, WebSearchMode } from '../core/web-search.js';
import { DEFAULT_SANDBOX_MODE } from '../core/workspace.js';
import type { SandboxMode } from '../core/workspace.js';
import { DEFAULT_APPROVAL_POLICY, toApprovalPolicy } from '../policy/approval-policy.js';
import type { ApprovalPolicy } from '../policy/approval-policy.js';
import { homeFolder, userFolder } from '../store/home.js';
import type { Config } from './config-schema.js';
import { familyOverride } from './family-overrides.js';
import { given } from './given.js';
import { modelFamily } from './model-families.js';
import type { ModelFamily } from './model-families.js';
import { parseSize } from './parse-size.js';
import { sandboxSettings } from './sandbox-settings.js';

/** The part of a runtime's options that comes from configuration. */
export type ConfiguredOptions = {
  readonly approvalPolicy: ApprovalPolicy;
  /** How long a question waits for its answer, and what no answer means. Absent: an hour, and then a no. */
  readonly approvalDeadline?: ApprovalDeadline;
  readonly sandboxMode: SandboxMode;
  /** Whether what cannot be confined is refused instead of asked about. */
  readonly sandboxRequired: boolean;
  readonly sandbox: SandboxSettings;
  readonly selection: Selection;
  /** Whether commands run on a copy first. */
  readonly preview: boolean;
  /** Whether what calls replace is kept, so that it can be taken back. */
  readonly keepChanges: boolean;
  readonly outputBudget: Budget;
  /** What becomes of colours and cursor movements in what the model sees. */
  readonly outputAnsi: Ansi;
  readonly allowLoginShell: boolean;
  readonly environmentPolicy: EnvironmentPolicy;
  /** How much the tools may do in all. */
  readonly toolLimits?: ToolLimits;
  /** A file that every event is added to. */
  readonly auditLog?: string;
  /** Whether and how the web is searched. Absent: it is not. */
  readonly webSearch?: { readonly mode: WebSearchMode; readonly backend?: SearchBackendSettings };
};

/** `home` is where the audit log is kept unless the configuration says otherwise. */
export function runtimeOptions(config: Config, home?: string): ConfiguredOptions {
  const family = modelFamily(config.model, config.model_families);
  const sandboxMode = config.sandbox_mode ?? DEFAULT_SANDBOX_MODE;
  return {
    approvalPolicy: approvalPolicy(config.approval_policy, sandboxMode),
    ...approvalDeadline(config),
    sandboxMode,
    sandboxRequired: config.approval_policy === 'sandbox',
    sandbox: sandboxSettings(config),
    selection: {
      shellType: shellType(config, family),
      patchFace: patchFace(config, family),
      images: family.images,
      experimental: config.experimental_supported_tools ?? [],
      overrides: overrides(config),
    },
    preview: config.preview ?? false,
    keepChanges: config.features?.undo ?? true,
    outputBudget: outputBudget(config, family),
    outputAnsi: config.output_ansi ?? 'strip',
    allowLoginShell: config.allow_login_shell ?? true,
    environmentPolicy: environmentPolicy(config),
    ...toolLimits(config),
    ...auditLog(config, home),
    ...webSearch(config),
  };
}

/** The word `sandbox` also promises that there is one. */
function approvalPolicy(word: string | undefined, sandboxMode: SandboxMode): ApprovalPolicy {
  if (word === undefined) return DEFAULT_APPROVAL_POLICY;
  if (word === 'sandbox' && sandboxMode === 'danger-full-access') {
    throw new ConfigError(
      'approval_policy "sandbox" asks for a sandbox, but sandbox_mode "danger-full-access" has none',
    );
  }
  return toApprovalPolicy(word) ?? DEFAULT_APPROVAL_POLICY;
}

function approvalDeadline(config: Config): Pick<ConfiguredOptions, 'approvalDeadline'> {
  const { approval_timeout_seconds: seconds, approval_timeout_decision: decision = DEFAULT_DEADLINE.decision } = config;
  const ms = seconds === undefined ? DEFAULT_DEADLINE.ms : Math.round(seconds * 1000);
  const isGiven = seconds !== undefined || config.approval_timeout_decision !== undefined;
  return isGiven ? { approvalDeadline: { ms, decision } } : {};
}

/** A key of its own wins over the feature flags, and they win over what the family prefers. */
function shellType(config: Config, family: ModelFamily): ShellType {
  const { features = {} } = config;
  if (features.shell_tool === false) return 'disabled';
  const named = config.shell_type ?? familyOverride(config.model, config.model_families)?.shell_type;
  if (named !== undefined) return named;
  return features.unified_exec === false ? family.shellType : 'unified_exec';
}

function patchFace({ apply_patch_tool_type: named, features = {} }: Config, family: ModelFamily): PatchFace {
  if (named !== undefined) return named;
  return features.apply_patch_freeform === true ? 'freeform' : family.patchFace;
}

function overrides({ tools = {} }: Config): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(tools).map(([name, value]) => [name, typeof value === 'boolean' ? value : value.enabled]),
  );
}

/** The limit is in tokens whatever unit the family counts in. */
function outputBudget({ tool_output_token_limit: limit }: Config, { outputBudget: budget }: ModelFamily): Budget {
  if (limit === undefined) return budget;
  return { ...budget, amount: budget.unit === 'tokens' ? limit : limit * BYTES_PER_TOKEN };
}

function environmentPolicy({ shell_environment_policy: table = {} }: Config): EnvironmentPolicy {
  const defaults = DEFAULT_ENVIRONMENT_POLICY;
  return {
    inherit: table.inherit ?? defaults.inherit,
    ignoreDefaultExcludes: table.ignore_default_excludes ?? defaults.ignoreDefaultExcludes,
    exclude: table.exclude ?? defaults.exclude,
    set: table.set ?? defaults.set,
    includeOnly: table.include_only ?? defaults.includeOnly,
  };
}

function toolLimits({ tool_security: security = {} }: Config): Pick<ConfiguredOptions, 'toolLimits'> {
  const size = security.max_file_access_size;
  const limits = given({
    maxShellCommands: security.max_shell_commands_per_session,
    maxFileBytes: typeof size === 'string' ? parseSize(size) : size,
  });
  return Object.keys(limits).length === 0 ? {} : { toolLimits: limits };
}

/** Whoever says where it is to be kept wants one. */
function auditLog({ tool_security: security = {} }: Config, home?: string): Pick<ConfiguredOptions, 'auditLog'> {
  const { audit_log_path: file, audit_log_enabled: isEnabled = file !== undefined } = security;
  if (!isEnabled) return {};
  return { auditLog: file ?? path.join(home ?? homeFolder() ?? path.join(userFolder(), '.tenon'), 'audit.log') };
}

/** Whoever names a service wants it to be asked. */
function webSearch({ web_search: word, web_search_backend: table }: Config): Pick<ConfiguredOptions, 'webSearch'> {
  const mode = word ?? (table && 'live');
  if (mode === undefined) return {};
  if (!table) return { webSearch: { mode } };
  const { kind, base_url: baseUrl, env_key: envKey, max_results: maxResults } = table;
  return { webSearch: { mode, backend: { kind, ...given({ baseUrl, envKey, maxResults }) } } };
}
