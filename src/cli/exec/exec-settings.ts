/** From the flags of `tenon exec` to settings: most of them are only other names for configuration keys. */
import path from 'node:path';

import { defaultHome, loadSettings, openRules, runtimeOptions } from '../../index.js';
import type { Approver, Config, RuleStore } from '../../index.js';
import { warn } from '../read-config.js';
import type { Settings } from '../read-config.js';
import { terminalApprover } from '../terminal-approver.js';
import { UsageError } from '../usage-error.js';
import { isFolder } from '../workspace-folder.js';
import { flagOverrides } from './flag-overrides.js';
import { says, wantsJson } from './flags.js';
import type { ExecFlags } from './flags.js';
import { pastOverrides, settingsToRestore } from './restore.js';
import type { Past, Restore, SaidAnew } from './restore.js';

export type ExecSettings = Settings & {
  readonly approver?: Approver;
  /** Folders that may be written beside the workspace. */
  readonly addDirs: readonly string[];
  readonly oss?: boolean | string;
  /** For whoever goes on with the session. */
  readonly restore: Restore;
};

export type SettingsOptions = {
  /** What the session has run with so far. */
  readonly past?: Past;
  /** Whether the person at the terminal is asked also when no flag says so. */
  readonly asks?: boolean;
};

export async function execSettings(
  cwd: string,
  flags: ExecFlags,
  { past, asks = false }: SettingsOptions = {},
): Promise<ExecSettings> {
  const home = defaultHome();
  const anew = saidAnew(flags);
  const ignoreUserConfig = flags.ignoreUserConfig ?? past?.restore?.ignoreUserConfig ?? false;
  const ignoreRules = flags.ignoreRules ?? past?.restore?.ignoreRules ?? false;
  const { config, project, said } = await loadSettings({
    home,
    cwd,
    overrides: [...(past ? pastOverrides(past, anew) : []), ...flags.config, ...flagOverrides(flags)],
    strictConfig: flags.strictConfig ?? false,
    ignoreUserConfig,
    onWarning: warn,
  });
  const places = { addDirs: foldersIn(flags, past), ...serverOf(flags, past, anew) };
  const { restore, missing } = settingsToRestore({ config, said, past });
  for (const key of missing) warn(`${key} is not kept, as it may be a secret: pass it again with -c ${key}=…`);
  const approver = asks || mayAsk(flags) ? approverFor(flags) : undefined;
  return {
    rules: ignoreRules ? NO_RULES : openRules({ home, ...(project.trusted && { project }) }),
    ...places,
    restore: { ...restore, addDirs: [...places.addDirs], oss: places.oss !== undefined, ignoreUserConfig, ignoreRules },
    ...(approver ? { config, approver } : { config: withNobodyToAsk(config) }),
  };
}

export const NO_RULES: RuleStore = { load: async () => [] };

function saidAnew(flags: ExecFlags): SaidAnew {
  return {
    profile: flags.profile !== undefined || says(flags, 'profile'),
    server: flags.oss !== undefined || flags.localProvider !== undefined,
  };
}

/** Folders count from where the program was started, as all that is typed does. */
function foldersIn({ addDir }: ExecFlags, past: Past | undefined): readonly string[] {
  for (const folder of addDir) {
    if (!isFolder(folder)) throw new UsageError(`--add-dir ${folder}: there is no such folder`);
  }
  const before = past?.restore?.addDirs ?? [];
  for (const folder of before) {
    if (!isFolder(folder)) warn(`--add-dir ${folder} of the session: there is no such folder any more`);
  }
  return [...new Set([...before.filter(isFolder), ...addDir.map((folder) => path.resolve(folder))])];
}

/** A server of this machine: the one that is asked for now, or the one that the session found. */
function serverOf(flags: ExecFlags, past: Past | undefined, anew: SaidAnew): Pick<ExecSettings, 'oss'> {
  const asked = flags.localProvider ?? flags.oss;
  if (asked !== undefined) return { oss: asked };
  const isLeft = past?.restore?.oss === true && !anew.profile && !says(flags, 'model_provider');
  return isLeft ? { oss: past.provider } : {};
}

/** Scripts are not stopped by questions: somebody has to have said that there may be some. */
function mayAsk(flags: ExecFlags): boolean {
  return flags.askForApproval !== undefined || says(flags, 'approval_policy');
}

function approverFor(flags: ExecFlags): Approver | undefined {
  return wantsJson(flags) ? undefined : terminalApprover();
}

/** The model need not be told of a person who is not there. What has to be asked about stays so, and is refused. */
export function withNobodyToAsk(config: Config): Config {
  const { approvalPolicy, sandboxRequired } = runtimeOptions(config);
  const asksLittle = approvalPolicy === 'on-request' || approvalPolicy === 'on-failure';
  return asksLittle && !sandboxRequired ? { ...config, approval_policy: 'never' } : config;
}
