/** `tenon trust`: whether a project's own settings are used. Nothing else in the program changes that. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import {
  defaultHome,
  findProject,
  isTrusted,
  loadConfig,
  revokeTrust,
  trustFolder,
  trustLevel,
  trustedFolders,
} from '../../index.js';
import type { Config, TrustedFolder } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { note, say } from '../say.js';
import { UsageError } from '../usage-error.js';

export type TrustFlags = { readonly revoke?: boolean; readonly list?: boolean; readonly json?: boolean };

export async function changeTrust(folder: string | undefined, flags: TrustFlags): Promise<number> {
  if (flags.json && !flags.list) throw new UsageError('--json goes with --list');
  if (flags.list && folder !== undefined) throw new UsageError('--list takes no folder');
  const home = defaultHome();
  // The user's own file alone: whatever a project says has no place here.
  const { projects } = await loadConfig({ home });
  if (flags.list) return showTrusted(trustedFolders(home, projects), flags);
  return (flags.revoke ? revoke : trust)(folder ?? '.', { home, projects });
}

type Known = { readonly home: string; readonly projects: Config['projects'] };

function showTrusted(folders: readonly TrustedFolder[], { json }: TrustFlags): number {
  if (json) for (const each of folders) process.stdout.write(`${JSON.stringify(each)}\n`);
  else if (folders.length === 0) say('No folder is trusted.');
  else for (const { folder, since } of folders) say(`${folder}  (${since ?? 'config.toml'})`);
  return EXIT.success;
}

async function trust(folder: string, { home, projects }: Known): Promise<number> {
  const { root, own } = findProject(folder, home);
  if (trustLevel(root, projects) === 'untrusted')
    return fail(`${root} cannot be trusted: ${configFile(home)} calls it untrusted; change that first`);
  const already = isTrusted(home, root, projects);
  if (!already) await trustFolder(home, root);
  sayWhichRoot(folder, root);
  const used = own.length === 0 ? 'It has no settings of its own so far.' : 'Its own settings are used:';
  say(`${root} is ${already ? 'already' : 'now'} trusted. ${used}`);
  for (const name of own) say(`  ${name}`);
  return EXIT.success;
}

async function revoke(folder: string, { home, projects }: Known): Promise<number> {
  const root = rootToRevoke(folder, { home, projects });
  const revoked = await revokeTrust(home, root);
  if (trustLevel(root, projects) === 'trusted')
    return fail(`${root} is still trusted, because ${configFile(home)} says so; change it there`);
  if (!revoked) return fail(`${root} was not trusted; \`tenon trust --list\` shows which folders are`);
  sayWhichRoot(folder, root);
  say(`${root} is no longer trusted.`);
  return EXIT.success;
}

/** A folder that was trusted may be gone, or have become a part of another project since. */
function rootToRevoke(folder: string, { home, projects }: Known): string {
  const named = path.resolve(folder);
  const isRoot = !existsSync(named) || trustedFolders(home, projects).some((each) => each.folder === named);
  return isRoot ? named : findProject(named, home).root;
}

function sayWhichRoot(folder: string, root: string): void {
  const named = path.resolve(folder);
  if (named !== root) say(`${named} belongs to the project ${root}.`);
}

function configFile(home: string): string {
  return path.join(home, 'config.toml');
}

function fail(problem: string): number {
  note(problem);
  return EXIT.failed;
}
