/** `tenon config`: the settings that hold, where they come from, what is wrong with them, and changing one of them. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

import { checkConfig, defaultHome, findProject, loadSettings, saveSetting, shownSettings } from '../../index.js';
import type { Origin, ShownSetting } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { configSource, warn } from '../read-config.js';
import type { ConfigFlags, PolicyFlags } from '../read-config.js';
import { complain, say } from '../say.js';
import { UsageError } from '../usage-error.js';
import { workspaceFolder } from '../workspace-folder.js';

export type ShowFlags = PolicyFlags & { readonly origin?: boolean; readonly json?: boolean };
export type SetFlags = { readonly cd?: string; readonly project?: boolean };
export type CheckConfigFlags = ConfigFlags & { readonly cd?: string; readonly json?: boolean };
export type PathFlags = { readonly cd?: string; readonly project?: boolean };

export async function showConfig(key: string | undefined, flags: ShowFlags): Promise<number> {
  const settings = await shownSettings(configSource(workspaceFolder(flags.cd), flags), key);
  if (key !== undefined && settings.length === 0) {
    complain(`${key} is not set`);
    return EXIT.failed;
  }
  if (flags.json) for (const line of jsonLines(settings, key, flags)) process.stdout.write(`${line}\n`);
  else for (const setting of settings) say(settingLine(setting, key, flags));
  return EXIT.success;
}

