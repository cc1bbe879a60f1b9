/** The configuration as every command reads it: what was ignored is said on stderr. */
import { defaultHome, loadSettings, openRules } from '../index.js';
import type { Config, ConfigOverride, ConfigSource, RuleStore } from '../index.js';
import { visible } from './visible.js';

/** The flags that say under which policy something runs. */
export type PolicyFlags = ConfigFlags & {
  readonly cd?: string;
  readonly sandbox?: string;
  readonly askForApproval?: string;
};

/** The flags that say which settings hold. */
export type ConfigFlags = {
  readonly config: readonly string[];
  readonly profile?: string;
  readonly strictConfig?: boolean;
};

export type Settings = {
  readonly config: Config;
  /** Those of the user and of a project that is trusted. */
  readonly rules: RuleStore;
};

/** `overrides` are flags that only one command has. */
export async function readSettings(
  cwd: string,
  flags: Omit<PolicyFlags, 'cd'>,
  overrides: readonly ConfigOverride[] = [],
): Promise<Settings> {
  const source = configSource(cwd, flags);
  const { config, project } = await loadSettings({ ...source, overrides: [...source.overrides, ...overrides] });
  return { config, rules: openRules({ home: source.home, ...(project.trusted && { project }) }) };
}

export function configSource(
  cwd: string,
  flags: Omit<PolicyFlags, 'cd'>,
): ConfigSource & Required<Pick<ConfigSource, 'cwd' | 'overrides'>> {
  return {
    home: defaultHome(),
    cwd,
    overrides: [...flags.config, ...policyOverrides(flags)],
    strictConfig: flags.strictConfig ?? false,
    onWarning: warn,
  };
}

/** It may name files of a project that nobody has trusted. */
export function warn(message: string): void {
  process.stderr.write(`tenon: warning: ${visible(message.replaceAll('\n', ' '))}\n`);
}

/** What flags say that are only other names for configuration keys, so that it is checked in one place. */
export function policyOverrides({
  profile,
  model,
  sandbox,
  askForApproval,
}: Omit<PolicyFlags, 'cd' | 'config'> & { readonly model?: string }): readonly ConfigOverride[] {
  const given: readonly (readonly [key: string, flag: string, value: string | undefined])[] = [
    ['profile', '--profile', profile],
    ['model', '--model', model],
    ['sandbox_mode', '--sandbox', sandbox],
    ['approval_policy', '--ask-for-approval', askForApproval],
  ];
  return given.flatMap(([key, flag, value]) =>
    value === undefined ? [] : [{ key, value, label: `${flag} ${value}` }],
  );
}
