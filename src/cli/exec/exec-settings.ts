/** From the flags of `tenon exec` to settings: most of them are only other names for configuration keys. */
import { defaultHome, loadSettings, openRules, runtimeOptions } from '../../index.js';
import type { Approver, Config, ConfigSource, RuleStore } from '../../index.js';
import { warn } from '../read-config.js';
import type { Settings } from '../read-config.js';
import { terminalApprover } from '../terminal-approver.js';
import { wantsJson } from './flags.js';
import type { ExecFlags } from './flags.js';

type Override = NonNullable<ConfigSource['overrides']>[number];

export type ExecSettings = Settings & { readonly approver?: Approver };

export async function execSettings(cwd: string, flags: ExecFlags): Promise<ExecSettings> {
  const home = defaultHome();
  const { config, project } = await loadSettings({
    home,
    cwd,
    overrides: [...flags.config, ...flagOverrides(flags)],
    strictConfig: flags.strictConfig ?? false,
    ignoreUserConfig: flags.ignoreUserConfig ?? false,
    onWarning: warn,
  });
  const rules = flags.ignoreRules ? NO_RULES : openRules({ home, ...(project.trusted && { project }) });
  const approver = mayAsk(flags) ? terminalApprover() : undefined;
  return approver ? { config, rules, approver } : { config: withNobodyToAsk(config), rules };
}

const NO_RULES: RuleStore = { load: async () => [] };

/** Later ones win, so what is said in full comes after what is said in short. */
function flagOverrides(flags: ExecFlags): readonly Override[] {
  const short = [
    ...(flags.fullAuto ? [set('sandbox_mode', 'workspace-write', '--full-auto')] : []),
    ...(flags.dangerouslyBypassApprovalsAndSandbox ? BYPASS : []),
  ];
  const given: readonly (readonly [key: string, flag: string, value: string | undefined])[] = [
    ['profile', '--profile', flags.profile],
    ['model', '--model', flags.model],
    ['sandbox_mode', '--sandbox', flags.sandbox],
    ['approval_policy', '--ask-for-approval', flags.askForApproval],
  ];
  return [
    ...short,
    ...given.flatMap(([key, flag, value]) => (value === undefined ? [] : [set(key, value, `${flag} ${value}`)])),
    ...(flags.search ? [set('web_search', 'live', '--search')] : []),
    ...amount('limits.requests', '--max-requests', flags.maxRequests),
    ...amount('limits.wall_seconds', '--max-time', flags.maxTime),
    ...flags.enable.map((name) => set(`features.${name}`, true, `--enable ${name}`)),
    ...flags.disable.map((name) => set(`features.${name}`, false, `--disable ${name}`)),
  ];
}

const BYPASS_FLAG = '--dangerously-bypass-approvals-and-sandbox';
const BYPASS = [set('sandbox_mode', 'danger-full-access', BYPASS_FLAG), set('approval_policy', 'never', BYPASS_FLAG)];

function set(key: string, value: unknown, label: string): Override {
  return { key, value, label };
}

/** What is no number is left for the schema to refuse. */
function amount(key: string, flag: string, value: string | undefined): readonly Override[] {
  if (value === undefined) return [];
  return [set(key, value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value), `${flag} ${value}`)];
}

/** Scripts are not stopped by questions: somebody has to have said that there may be some. */
function mayAsk(flags: ExecFlags): boolean {
  const isSaid =
    flags.askForApproval !== undefined || flags.config.some((each) => /^\s*approval_policy\s*=/.test(each));
  return isSaid && !wantsJson(flags);
}

/** The model need not be told of a person who is not there. What has to be asked about stays so, and is refused. */
function withNobodyToAsk(config: Config): Config {
  const { approvalPolicy, sandboxRequired } = runtimeOptions(config);
  const asksLittle = approvalPolicy === 'on-request' || approvalPolicy === 'on-failure';
  return asksLittle && !sandboxRequired ? { ...config, approval_policy: 'never' } : config;
}
