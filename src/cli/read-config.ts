/** The configuration as every command reads it: what was ignored is said on stderr. */
import { defaultHome, loadSettings, openRules } from '../index.js';
import type { Config, RuleStore } from '../index.js';
import { visible } from './visible.js';

/** The flags that say under which policy something runs. */
export type PolicyFlags = {
  readonly cd?: string;
  readonly sandbox?: string;
  readonly askForApproval?: string;
  readonly config: readonly string[];
};

export type Settings = {
  readonly config: Config;
  /** Those of the user and of a project that is trusted. */
  readonly rules: RuleStore;
};

export async function readSettings(cwd: string, flags: Omit<PolicyFlags, 'cd'>): Promise<Settings> {
  const home = defaultHome();
  const { config, project } = await loadSettings({
    home,
    cwd,
    overrides: [...flags.config, ...flagOverrides(flags)],
    onWarning: warn,
  });
  return { config, rules: openRules({ home, ...(project.trusted && { project }) }) };
}

/** It may name files of a project that nobody has trusted. */
export function warn(message: string): void {
  process.stderr.write(`tenon: warning: ${visible(message.replaceAll('\n', ' '))}\n`);
}

/** The flags are only other names for configuration keys, so they are checked in one place. */
function flagOverrides({ sandbox, askForApproval }: Omit<PolicyFlags, 'cd'>): string[] {
  return [
    ...(sandbox === undefined ? [] : [`sandbox_mode=${sandbox}`]),
    ...(askForApproval === undefined ? [] : [`approval_policy=${askForApproval}`]),
  ];
}
