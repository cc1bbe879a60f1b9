/**
 * What a recording would have beyond what whoever plays it has said. A recording is a file that may come from anybody, and
 * a script: its commands run. So it gets no rights, and no yes to a question, by its own word alone.
 */
import { isDeepStrictEqual } from 'node:util';

import { loadSettings, runtimeOptions } from '../../index.js';
import type { Config, SessionLine } from '../../index.js';
import { pastOf } from '../exec/restore.js';
import type { Restore } from '../exec/restore.js';
import { configSource } from '../read-config.js';
import type { PolicyFlags } from '../read-config.js';
import { UsageError } from '../usage-error.js';

export type ReplayPolicy = PolicyFlags & {
  readonly ignoreUserConfig?: boolean;
  readonly ignoreRules?: boolean;
};

/** Throws a `UsageError` that names what it wants. */
export async function mustWantNothing(lines: readonly SessionLine[], cwd: string, flags: ReplayPolicy): Promise<void> {
  const { onWarning: _, ...source } = configSource(cwd, flags);
  const { config: today } = await loadSettings({ ...source, ignoreUserConfig: flags.ignoreUserConfig ?? false });
  const wanted = new Set(restoresIn(lines).flatMap((restore) => wantedBy(restore, today, flags)));
  const yeses = lines.filter((line) => line.type === 'question.decided' && YES.has(line.decision)).length;
  if (yeses > 0) wanted.add(`a yes to ${yeses === 1 ? 'a question' : `${yeses} questions`}`);
  if (wanted.size === 0) return;
  throw new UsageError(
    `the recording wants more than you have said: ${[...wanted].join(', ')}. ` +
      'If you know what it does, pass --trust; to run nothing, --tools recorded',
  );
}

const YES: ReadonlySet<string> = new Set(['once', 'session', 'always', 'preview']);

function restoresIn(lines: readonly SessionLine[]): readonly Restore[] {
  return lines.flatMap((line) => (line.type === 'settings.chosen' ? (pastOf([line])?.restore ?? []) : []));
}

function wantedBy({ said, held, addDirs, ...ignored }: Restore, today: Config, flags: ReplayPolicy): readonly string[] {
  const keys = Object.entries({ ...unsaid(held, today), ...said }).flatMap(([key, value]) =>
    isFree(key) || isGiven(key, flags) || isHad(key, value, today) ? [] : [key],
  );
  return [
    ...keys,
    ...addDirs.map((folder) => `--add-dir ${folder}`),
    ...(ignored.ignoreRules && !flags.ignoreRules ? ['--ignore-rules'] : []),
    ...(ignored.ignoreUserConfig && !flags.ignoreUserConfig ? ['--ignore-user-config'] : []),
  ];
}

/** What held without being said counts only where nothing is said today. */
function unsaid(held: Restore['held'], today: Config): Restore['held'] {
  return Object.fromEntries(Object.entries(held).filter(([key]) => !Object.hasOwn(today, key)));
}

/** Whoever plays it has said it themselves, and that wins. */
function isGiven(key: string, { sandbox, askForApproval, config }: PolicyFlags): boolean {
  if (key === 'sandbox_mode' && sandbox !== undefined) return true;
  if (key === 'approval_policy' && askForApproval !== undefined) return true;
  return config.some((each) => each.trimStart().startsWith(key) && /^\s*=/.test(each.trimStart().slice(key.length)));
}

/** What gives no rights: of the model, which is only played, and of how things are told to it. */
const FREE: ReadonlySet<string> = new Set([
  'model',
  'model_provider',
  'openai_base_url',
  'model_providers',
  'oss_provider',
  'model_context_window',
  'model_auto_compact_token_limit',
  'model_max_output_tokens',
  'model_reasoning_effort',
  'model_verbosity',
  'model_reasoning_summary',
  'parallel_tool_calls',
  'model_families',
  'model_prices',
  'limits',
  'shell_type',
  'apply_patch_tool_type',
  'output_ansi',
  'tool_output_token_limit',
  'hide_agent_reasoning',
]);

/** What of it counts when nobody has trusted it. The rest has effects by itself, before any call: files, programs, a log. */
export function withoutEffects({ said, held, ...rest }: Restore): Restore {
  return { ...rest, said: onlyJudged(said), held: onlyJudged(held) };
}

function onlyJudged(settings: Restore['said']): Restore['said'] {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => isFree(key) || JUDGED.has(firstOf(key))));
}

/** What only says which calls there are, and which of them would be allowed. */
const JUDGED: ReadonlySet<string> = new Set([
  'allow_login_shell',
  'approval_policy',
  'approval_timeout_decision',
  'approval_timeout_seconds',
  'developer_instructions',
  'experimental_supported_tools',
  'features',
  'preview',
  'profile',
  'project_doc_fallback_filenames',
  'project_doc_max_bytes',
  'sandbox_mode',
  'sandbox_workspace_write',
  'tools',
  'web_search',
]);

function isFree(key: string): boolean {
  return FREE.has(firstOf(key));
}

function firstOf(key: string): string {
  const [first = ''] = key.split('.');
  return first;
}

const MODES = ['read-only', 'workspace-write', 'danger-full-access'];

/** Whether whoever plays it has it as well. */
function isHad(key: string, value: unknown, today: Config): boolean {
  const now = (today as Readonly<Record<string, unknown>>)[key];
  if (isDeepStrictEqual(value, now)) return true;
  // Less is always possible.
  if (key === 'sandbox_mode') return MODES.indexOf(String(value)) <= MODES.indexOf(runtimeOptions(today).sandboxMode);
  return key === 'approval_policy' && now === undefined;
}
