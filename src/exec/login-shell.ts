/**
 * What a login shell would do before it runs a script, done once. Reading the user's profile can take a hundred times
 * as long as the command itself, so the environment it leaves behind is kept and given to a plain shell. When a profile
 * does more than that (sets options, changes the folder), the login shell runs every time, as asked.
 */
import fs from 'node:fs';
import path from 'node:path';

import type { Command } from '../core/workspace.js';
import { isSystemShell, scriptOf, shellArgv } from '../shell/shells.js';
import { isUntrusted, withFolders, withoutUntrusted } from './untrusted-folders.js';
import type { Claim } from './ledger.js';
import { readProfile } from './login-profile.js';
import type { Environment, Profile } from './login-profile.js';
import type { SpawnToRead } from './spawn-to-read.js';

export interface LoginShell {
  /** The command line and environment with the same effect as `argv`, or both as they are; `through` confines it. */
  prepare(argv: readonly string[], env: Environment, through: Command['through']): Promise<Prepared>;
}

type Prepared = { readonly argv: readonly string[]; readonly env: Environment };

export type LoginShellOptions = {
  /** Gets what the profile made of the environment, which may hold what a command must not see. */
  readonly filter: (reported: Environment) => Environment;
  /** A profile may start programs too. */
  readonly claim: (label: string) => Promise<Claim>;
  readonly spawn: SpawnToRead;
  /** Folders that confined commands write to: nothing in there is run outside of a sandbox. */
  readonly untrusted: readonly string[];
};

export function createLoginShell({ filter, claim, spawn, untrusted }: LoginShellOptions): LoginShell {
  /** By shell, for one environment and as long as the files it reads have not changed. */
  const known = new Map<string, { readonly key: unknown[]; readonly profile: Promise<KnownProfile | undefined> }>();
  let reads = 0;

  function profileOf(file: string, env: Environment, through: Command['through']): Promise<KnownProfile | undefined> {
    const key = [env, profileStamp(env['HOME'])];
    // A profile may do less inside of a sandbox.
    const name = through ? `confined ${file}` : file;
    const last = known.get(name);
    if (last?.key.every((each, index) => each === key[index])) return last.profile;
    reads += 1;
    const label = `login${reads}`;
    const own = through ? [] : untrusted;
    const profile = readProfile(file, withoutUntrusted(env, own), { claim: () => claim(label), spawn, through })
      .then((read) => read && { ...read, visible: withFolders(filter(read.variables), env, own) })
      .catch(() => {
        // Something was missing just then; the next command tries again.
        known.delete(name);
        return undefined;
      });
    known.set(name, { key, profile });
    return profile;
  }

  return {
    async prepare(argv, env, through) {
      const asked = scriptOf(argv);
      const [file = ''] = argv;
      if (asked?.kind !== 'bash' || !asked.login || !isSystemShell(file)) return { argv, env };
      // What commands may have written there is not read where they do not run.
      if (!through && isUntrusted(env['HOME'] ?? '/', untrusted)) return { argv, env };
      const profile = await profileOf(file, env, through);
      if (profile === undefined) return { argv, env };
      const { visible, functions } = profile;
      if (profile.isAll) return withFunctions(file, asked.script, visible, functions);
      const hidden = Object.keys(profile.variables).filter((name) => !Object.hasOwn(visible, name));
      return { argv: shellArgv(file, 'bash', hide(hidden) + asked.script, true), env };
    },
  };
}

/** Functions are the shell's own and not its children's, so they come in a variable that is gone before the script. */
function withFunctions(file: string, script: string, env: Environment, functions: string): Prepared {
  if (functions === '') return { argv: shellArgv(file, 'bash', script, false), env };
  const define = 'builtin eval "$TENON_LOGIN_FUNCTIONS"; builtin unset -v TENON_LOGIN_FUNCTIONS; ';
  return { argv: shellArgv(file, 'bash', define + script, false), env: { ...env, TENON_LOGIN_FUNCTIONS: functions } };
}

/** Takes away, before the script, what the profile has exported and no command may see. */
function hide(names: readonly string[]): string {
  const variables = names.filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return variables.length === 0 ? '' : `builtin unset -v ${variables.join(' ')} 2> /dev/null; `;
}

/** With what commands may see of its variables. */
type KnownProfile = Profile & { readonly visible: Environment };

/** Changes when a file that a login shell may read changes, so that a tool installed meanwhile is found. */
function profileStamp(home = '/'): string {
  const own = ['.bash_profile', '.bash_login', '.profile', '.bashrc'].map((name) => path.join(home, name));
  return ['/etc/profile', '/etc/profile.d', '/etc/bash.bashrc', '/etc/environment', ...own].map(changedAt).join();
}

/** What cannot be looked at cannot be read by the shell either. */
function changedAt(file: string): number | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined;
  }
}
