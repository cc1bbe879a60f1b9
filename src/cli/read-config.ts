/** The configuration as every command reads it: what was ignored is said on stderr. */
import { defaultHome, loadRules, loadSettings } from '../index.js';
import type { Config, RuntimeOptions } from '../index.js';
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
  /** Where a runtime finds the rules of the user and of a project that is trusted. */
  readonly rules: Pick<RuntimeOptions, 'rules'>;
};

export async function readSettings(cwd: string, flags: Omit<PolicyFlags, 'cd'>): Promise<Settings> {
  const home = defaultHome();
  const { config, project } = await loadSettings({
    home,
    cwd,
    overrides: [...flags.config, ...flagOverrides(flags)],
    onWarning: warn,
  });
  const rules = () => loadRules({ home, ...(project.trusted && { project }) });
  return { config, rules: { rules } };
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
