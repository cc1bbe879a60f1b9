/** The sandbox by itself, for who wants to run a command in it without a model or tools around. */
import path from 'node:path';

import { localWorkspace } from './create-pipeline.js';
import { openSandbox, profileOf } from './create-policy.js';
import type { RuntimeOptions } from './options.js';
import type { Grant } from './core/effects.js';
import { absolutePath } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import type { SandboxBackend } from './core/sandbox-settings.js';
import type { Command, Process, SandboxReport } from './core/workspace.js';
import type { Confinement, ProbedBackend } from './sandbox/sandbox.js';
import type { StagedWorkspace } from './core/staging.js';

export type CommandSandboxOptions = Pick<
  RuntimeOptions,
  'cwd' | 'home' | 'sandboxMode' | 'sandbox' | 'rules' | 'environmentPolicy' | 'allowLoginShell'
> & {
  /** Single rights on top of the mode. */
  readonly grants?: readonly Grant[];
  readonly onReport?: (what: SandboxReport) => void;
};

export interface CommandSandbox {
  readonly cwd: AbsolutePath;
  /** What would confine a command, and what is weaker than asked for. */
  confinement(): Promise<Confinement>;
  /** Starts a command; throws `Rejected` when it cannot be confined. */
  start(command: Command): Promise<Process>;
  /** The same on a copy of the folder: what commands change there is shown, and kept only when you say so. */
  stage(): Promise<StagedWorkspace>;
  /** Every backend, tried. */
  probe(names?: readonly Exclude<SandboxBackend, 'auto'>[]): Promise<readonly ProbedBackend[]>;
  /** Ends every command and closes the sandbox. */
  close(): Promise<void>;
}

export function createCommandSandbox(options: CommandSandboxOptions = {}): CommandSandbox {
  const workspace = localWorkspace(options);
  const profile = { ...profileOf(options, workspace), grants: options.grants ?? [] };
  const sandbox = openSandbox(options, profile);
  const confined =
    profile.mode === 'danger-full-access'
      ? workspace
      : sandbox.confine(workspace, profile, options.onReport ?? (() => {}));
  return {
    cwd: absolutePath(path.resolve(workspace.cwd)),
    confinement: () => sandbox.confinement(profile),
    start: (command) => confined.spawn(command),
    stage: () => sandbox.stage(workspace, profile, options.onReport ?? (() => {})),
    probe: (names) => sandbox.probe(profile, names),
    async close() {
      await workspace.close();
      await sandbox.close();
    },
  };
}
