/** Where one attempt runs: in the workspace itself, confined or not, with what it changes on record. */
import type { ChangeLog, ChangeOwner } from '../core/change-log.js';
import type { Intent, Permission } from '../core/effects.js';
import { Rejected, isOwnError, messageOf } from '../core/errors.js';
import type { ToolOutput } from '../core/output.js';
import type { Confine, Profile, SandboxReport, Workspace } from '../core/workspace.js';
import { changeOnceAnnounced } from './change-once-announced.js';
import { workspaceWith } from '../core/workspace-with.js';

export interface Ground {
  readonly workspace: Workspace;
  /** Runs the tool there, once. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Makes what the tool did count, and gives what the model reads of it; throws when it must not count. */
  keep(output: ToolOutput): Promise<ToolOutput>;
  /** To be called in any case. Never throws. */
  leave(): Promise<void>;
}

export type GroundParts = {
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly confine: Confine;
  readonly changes: ChangeLog;
};

/** What runs there, and who hears what the sandbox has to say of it. */
export type GroundUse = {
  readonly permission: Permission;
  /** Whether it is known to change nothing. */
  readonly harmless: boolean;
  readonly intent: Intent;
  readonly owner: ChangeOwner;
  readonly report: (what: SandboxReport) => void;
  /** Resolves when the attempt is on record; no file changes before. */
  readonly onRecord: Promise<unknown>;
};

export function workspaceGround(use: GroundUse, parts: GroundParts): Ground {
  const { owner, intent, harmless, onRecord } = use;
  const { changes } = parts;
  // A command changes files without asking ours, and so does one that is typed to.
  const commands = !harmless && intent.effects.some(({ kind }) => kind === 'exec' || kind === 'type');
  const workspace = confined(use, parts);
  const announcing = workspaceWith(workspace, { files: changeOnceAnnounced(workspace.files, onRecord) });
  return {
    workspace: recorded(announcing, owner, changes),
    run: (work) => (commands ? changes.aroundCommand(owner, work) : work()),
    keep: async (output) => output,
    leave: async () => {},
  };
}

/** Nearer to the disk than anything that is laid over the files, so that nothing is on record but what reaches them. */
export function recorded(workspace: Workspace, owner: ChangeOwner, changes: ChangeLog): Workspace {
  return workspaceWith(workspace, { files: changes.recording(owner, workspace.files) });
}

/** A sandbox that cannot be set up is no reason to go without one. */
function confined({ permission, report }: GroundUse, { workspace, profile, confine }: GroundParts): Workspace {
  if (!permission.confined) return workspace;
  try {
    return confine(workspace, { ...profile, grants: permission.grants }, report);
  } catch (error) {
    throw isOwnError(error)
      ? error
      : new Rejected('policy', `sandbox could not start: ${messageOf(error)}`, { cause: error });
  }
}
