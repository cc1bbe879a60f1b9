/** `tenon config`: the settings that hold, where they come from, what is wrong with them, and changing one of them. */
import path from 'node:path';

import { ConfigError, checkConfig, defaultHome, findProject, saveSetting, shownSettings } from '../../index.js';
import { bareValue, originText, settingLine, settingsTree } from '../describe-setting.js';
import { EXIT } from '../exit-codes.js';
import { configSource, warn } from '../read-config.js';
import type { ConfigFlags, PolicyFlags } from '../read-config.js';
import { note, say } from '../say.js';
import { workspaceFolder } from '../workspace-folder.js';

export type ShowFlags = PolicyFlags & { readonly origin?: boolean; readonly json?: boolean };
export type FileFlags = { readonly cd?: string; readonly project?: boolean };
export type CheckConfigFlags = ConfigFlags & { readonly cd?: string; readonly json?: boolean };

export async function showConfig(key: string | undefined, { origin = false, ...flags }: ShowFlags): Promise<number> {
  const settings = await shownSettings(configSource(workspaceFolder(flags.cd), flags), key);
  if (key !== undefined && settings.length === 0) {
    note(`${key} is not set`);
    return EXIT.failed;
  }
  const [first] = settings;
  const only = first?.key === key?.trim() ? first : undefined;
  if (flags.json && origin) for (const { path: _, ...setting } of settings) print(JSON.stringify(setting));
  else if (flags.json) print(JSON.stringify(only ? only.value : settingsTree(settings), null, 2));
  else if (only && !origin) say(bareValue(only));
  else for (const setting of settings) say(settingLine(setting, origin));
  return EXIT.success;
}

export async function setConfig(key: string, value: string, flags: FileFlags): Promise<number> {
  const file = fileOf(flags);
  const saved = await saveSetting({ file, kind: flags.project ? 'project' : 'user', key, value });
  say(`${key} is ${saved.changed ? 'set' : 'already so'} in ${saved.where}`);
  await warnOfOthers(key, file, workspaceFolder(flags.cd));
  return EXIT.success;
}

export async function checkSettings(flags: CheckConfigFlags): Promise<number> {
  const { sources, problems } = await checkConfig(configSource(workspaceFolder(flags.cd), flags));
  if (flags.json) print(JSON.stringify({ sources, problems }));
  else if (problems.length > 0) for (const problem of problems) say(problem);
  else if (sources.length === 0) say('Nothing is set.');
  else for (const source of sources) say(`${source}: all as it should be`);
  return problems.length > 0 ? EXIT.failed : EXIT.success;
}

export function showPath(flags: FileFlags): number {
  print(fileOf(flags));
  return EXIT.success;
}

function fileOf({ cd, project = false }: FileFlags): string {
  const home = defaultHome();
  if (!project) return path.join(home, 'config.toml');
  return path.join(findProject(workspaceFolder(cd), home).root, '.tenon', 'config.toml');
}

/** What was set may not be what holds. It is set all the same, so nothing here is an error. */
async function warnOfOthers(key: string, file: string, cwd: string): Promise<void> {
  try {
    const settings = await shownSettings(configSource(cwd, { config: [] }), key);
    const other = settings.find(
      ({ origin }) => origin.kind !== 'default' && !('file' in origin && origin.file === file),
    );
    if (other) warn(`${key} is something else here, because of ${originText(other.origin)}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    warn(error.message);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
