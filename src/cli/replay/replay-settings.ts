/**
 * Under which settings a session is played again: what was said for it, below that what today's files say, and where
 * those are silent what held then. The flags of now win over all of it.
 */
import { existsSync } from 'node:fs';

import { ConfigError, findProvider, loadSettings, openRules } from '../../index.js';
import type { Config, ConfigOverride, PartSettings, RecordedAct } from '../../index.js';
import { NO_RULES, withNobodyToAsk } from '../exec/exec-settings.js';
import { says } from '../exec/flags.js';
import { pastOf } from '../exec/restore.js';
import type { Past, Restore } from '../exec/restore.js';
import { configSource } from '../read-config.js';
import { withoutEffects } from './recorded-rights.js';
import type { ReplayPolicy } from './recorded-rights.js';

export type Played = ReplayPolicy & {
  readonly cwd: string;
  /** Whether all counts that the recording says of its settings. */
  readonly isTrusted: boolean;
};

export async function replaySettings(act: RecordedAct, { cwd, isTrusted, ...flags }: Played): Promise<PartSettings> {
  const past = act.settings && pastOf([act.settings]);
  const restore = past?.restore ?? NOTHING_KEPT;
  const { addDirs, said, held, ...then } = isTrusted ? restore : withoutEffects(restore);
  const ignoreUserConfig = flags.ignoreUserConfig ?? then.ignoreUserConfig;
  const { onWarning, ...source } = { ...configSource(cwd, flags), ignoreUserConfig };
  const { config: today } = await loadSettings(source);
  const { config, project } = await loadSettings({
    ...source,
    overrides: [
      ...asOverrides({ ...unsaidIn(today, held), ...serverOf(past) }),
      ...serverTable(past, today, act),
      ...asOverrides(said),
      ...source.overrides,
    ],
    ...(onWarning && { onWarning }),
  });
  const withoutRules = flags.ignoreRules ?? then.ignoreRules;
  return {
    config: hadNobodyToAsk(act) && !saysWhoIsAsked(flags) ? withNobodyToAsk(config) : config,
    rules: withoutRules ? NO_RULES : openRules({ home: source.home, ...(project.trusted && { project }) }),
    addDirs: addDirs.filter((folder) => existsSync(folder)),
  };
}

const NOTHING_KEPT: Restore = {
  said: {},
  held: {},
  secret: [],
  addDirs: [],
  oss: false,
  ignoreUserConfig: false,
  ignoreRules: false,
};

function asOverrides(settings: Readonly<Record<string, unknown>>): readonly ConfigOverride[] {
  return Object.entries(settings).map(([key, value]) => ({ key, value, label: `${key} of the recording` }));
}

function serverOf(past: Past | undefined): Readonly<Record<string, unknown>> {
  return past ? { model: past.model, model_provider: past.provider } : {};
}

/** A profile is among what the files of today say, or it is not. */
function unsaidIn(today: Config, held: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const said = today as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(held).filter(([key]) => key !== 'profile' && said[key] === undefined));
}

/** Nobody speaks to the server, so one that is not known here need not be described. */
function serverTable(
  past: Past | undefined,
  { model_providers: tables = {} }: Config,
  { started }: RecordedAct,
): readonly ConfigOverride[] {
  if (past === undefined || isKnown(past.provider, tables)) return [];
  const value = { base_url: 'http://recorded.invalid', wire_api: started?.wire ?? 'responses' };
  const key = `model_providers.${JSON.stringify(past.provider)}`;
  return [{ key, value, label: 'model_provider of the recording' }];
}

function isKnown(id: string, tables: NonNullable<Config['model_providers']>): boolean {
  try {
    return findProvider({ id, tables, env: process.env }) !== undefined;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** What the model was told then. */
function hadNobodyToAsk({ snapshot }: RecordedAct): boolean {
  const permissions = snapshot?.['permissions'] as { readonly approvalPolicy?: unknown } | undefined;
  return permissions?.approvalPolicy === 'never';
}

function saysWhoIsAsked(flags: ReplayPolicy): boolean {
  return flags.askForApproval !== undefined || says(flags, 'approval_policy');
}
