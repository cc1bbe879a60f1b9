/** Flags of `tenon exec` that are other names for configuration keys, as what they stand for. */
import type { ConfigOverride } from '../../index.js';
import { policyOverrides } from '../read-config.js';
import type { ExecFlags } from './flags.js';

/** Later ones win, so what is said in full comes after what is said in short. */
export function flagOverrides(flags: ExecFlags): readonly ConfigOverride[] {
  const short = [
    ...(flags.fullAuto ? [set('sandbox_mode', 'workspace-write', '--full-auto')] : []),
    ...(flags.dangerouslyBypassApprovalsAndSandbox ? BYPASS : []),
  ];
  return [
    ...short,
    ...policyOverrides(flags),
    ...(flags.search ? [set('web_search', 'live', '--search')] : []),
    ...amount('limits.requests', '--max-requests', flags.maxRequests),
    ...amount('limits.wall_seconds', '--max-time', flags.maxTime),
    ...flags.enable.map((name) => set(`features.${name}`, true, `--enable ${name}`)),
    ...flags.disable.map((name) => set(`features.${name}`, false, `--disable ${name}`)),
  ];
}

const BYPASS_FLAG = '--dangerously-bypass-approvals-and-sandbox';
const BYPASS = [set('sandbox_mode', 'danger-full-access', BYPASS_FLAG), set('approval_policy', 'never', BYPASS_FLAG)];

function set(key: string, value: unknown, label: string): ConfigOverride {
  return { key, value, label };
}

/** What is no number is left for the schema to refuse. */
function amount(key: string, flag: string, value: string | undefined): readonly ConfigOverride[] {
  if (value === undefined) return [];
  return [set(key, value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value), `${flag} ${value}`)];
}
