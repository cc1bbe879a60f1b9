/** What may run and how it is confined: the judge and the sandbox of a runtime, from its options. */
import path from 'node:path';

import { absolutePath } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import type { SandboxSettings } from './core/sandbox-settings.js';
import { DEFAULT_SANDBOX_MODE } from './core/workspace.js';
import type { Profile, Workspace } from './core/workspace.js';
import { createJudge } from './create-judge.js';
import type { PolicyJudge } from './create-judge.js';
import { PROTECTED_NAMES, createLazySandbox, temporaryRoots, writableRoots } from './create-sandbox.js';
import { realPath } from './exec/real-path.js';
import { defaultHome, limitOf } from './options.js';
import type { RuntimeOptions } from './options.js';
import { DEFAULT_APPROVAL_POLICY } from './policy/approval-policy.js';
import type { Confinement } from './policy/context.js';
import { openRules } from './rule-files/open-rules.js';
import { NO_SANDBOX_REASON } from './sandbox/confine-in-process.js';
import type { Sandbox } from './sandbox/sandbox.js';
import { userFolder } from './store/home.js';

/** The judge and the sandbox know of each other: one says what the other will hold, and that is held to the rules. */
export function createPolicy(
  options: RuntimeOptions,
  profile: Profile,
  notes = true,
): { readonly policy: PolicyJudge; readonly sandbox: Sandbox } {
  const home = absolutePath(path.resolve(options.home ?? defaultHome()));
  const userHome = absolutePath(path.resolve(options.environmentPolicy?.set['HOME'] ?? userFolder()));
  const sandbox = createLazySandbox({
    settings: sandboxSettingsOf(options),
    home,
    userHome,
    writableRoots: profile.writableRoots,
    rules: () => policy.rules(),
    realPath,
    notes,
  });
  const policy = createJudge({
    approvalPolicy: options.approvalPolicy ?? DEFAULT_APPROVAL_POLICY,
    sandboxMode: profile.mode,
    writableRoots: profile.writableRoots,
    network: profile.network,
    confinement: () => confinementOf(options, profile, sandbox),
    sandboxRequired: options.sandboxRequired ?? false,
    protectedFolders: [home, ...profile.writableRoots.flatMap(protectedIn)],
    home: userHome,
    // Elsewhere than on this machine, paths are what they are called.
    realPath: options.workspace ? (file) => absolutePath(path.resolve(file)) : realPath,
    store: options.rules ?? openRules({ home, userHome: userFolder() }),
  });
  return { policy, sandbox };
}

/** What tools may not write, commands may not either. */
function sandboxSettingsOf(options: RuntimeOptions): SandboxSettings {
  const { sandbox = {} } = options;
  const most = limitOf('maxFileBytes', options);
  if (most === undefined) return sandbox;
  const { limits = {} } = sandbox;
  return { ...sandbox, limits: { ...limits, fileBytes: Math.min(most, limits.fileBytes ?? most) } };
}

/** The sandbox by itself, for who hears its reports. */
export function openSandbox(options: RuntimeOptions, profile: Profile): Sandbox {
  return createPolicy(options, profile, false).sandbox;
}

async function confinementOf(options: RuntimeOptions, profile: Profile, sandbox: Sandbox): Promise<Confinement> {
  if (options.confine) return { kind: 'available' };
  if (options.workspace) return { kind: 'none', reason: NO_SANDBOX_REASON };
  // Nobody will ask for one.
  if (profile.mode === 'danger-full-access') return { kind: 'available' };
  return sandbox.confinement(profile);
}

function protectedIn(root: AbsolutePath): readonly AbsolutePath[] {
  return PROTECTED_NAMES.map((name) => absolutePath(path.join(root, name)));
}

/** With full access, commands are as trusted as we are. */
export function writtenByCommands(
  { sandboxMode, sandbox = {} }: RuntimeOptions,
  cwd: AbsolutePath,
): readonly AbsolutePath[] {
  if (sandboxMode === 'danger-full-access') return [];
  return [...writableRoots(cwd, sandbox), ...temporaryRoots(sandbox)];
}

export function profileOf(
  { sandboxMode = DEFAULT_SANDBOX_MODE, sandbox = {} }: RuntimeOptions,
  { cwd }: Pick<Workspace, 'cwd'>,
): Profile {
  return {
    mode: sandboxMode,
    writableRoots: writableRoots(cwd, sandbox),
    network: sandboxMode === 'workspace-write' && (sandbox.network ?? false),
    grants: [],
  };
}
