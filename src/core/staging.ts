/** Commands on a copy of the workspace: what they changed can be looked at before it is made real, or forgotten. */
import type { ChangeDiff } from './change-log.js';
import type { AbsolutePath } from './paths.js';
import type { Profile, SandboxReport, Workspace } from './workspace.js';

/** Opens a copy; throws when there is no sandbox here that could hold one. */
export type OpenStage = (
  workspace: Workspace,
  profile: Profile,
  report: (what: SandboxReport) => void,
) => Promise<StagedWorkspace>;

export interface StagedWorkspace {
  /** Its commands see their changes; its files are the real ones. */
  readonly workspace: Workspace;
  /** What its commands have changed up to now; to be asked when none is running. */
  changes(): Promise<readonly Change[]>;
  diff(changes: readonly Change[]): Promise<ChangeDiff>;
  /** Makes the changes for real, all of them or none. */
  commit(changes: readonly Change[]): Promise<CommitResult>;
  /** Forgets the changes; to be called in any case. */
  drop(): Promise<void>;
}

/** What a command did, entry by entry. A deleted folder is one change for each thing that was in it. */
export type Change = {
  /** Relative to the workspace, with `/` between names; the workspace itself is `.`. */
  readonly path: string;
  /** `replaced`: something of another kind has its name now. */
  readonly kind: 'added' | 'modified' | 'replaced' | 'deleted' | 'mode-changed';
  /** What it is now, or was until it was deleted. */
  readonly entry: StagedKind;
  /** As the command left it; nothing where it deleted it. */
  readonly staged?: Facts;
  /** As it is in the workspace; nothing where it is new. */
  readonly present?: Facts;
  /** Why it cannot be fully told or ever be committed. */
  readonly problem?: string;
};

export type StagedKind = 'file' | 'folder' | 'link' | 'fifo' | 'socket' | 'device';

/** What something was when it was looked at. */
export type Facts = {
  readonly entry: StagedKind;
  /** The permission bits. */
  readonly mode: number;
  readonly size: number;
  /** Stays the same through renames and links, and differs as soon as the content may. */
  readonly identity: string;
  /** Nanoseconds, as digits. No program can set this time back. */
  readonly changed: string;
};

/** Why something could not be done. */
export type Failure = { readonly path: string; readonly reason: string };

export type CommitResult =
  /** `leftover`: a folder with the originals that could not be removed. */
  | { readonly kind: 'committed'; readonly done: readonly Change[]; readonly leftover?: AbsolutePath }
  /** Nothing was written. */
  | { readonly kind: 'refused'; readonly refused: readonly Failure[] }
  /** A step failed, and the workspace is as it was before. */
  | { readonly kind: 'rolled-back'; readonly failed: Failure; readonly leftover?: AbsolutePath }
  /** A step failed, and so did taking back others: their originals are in a folder of the workspace. */
  | {
      readonly kind: 'broken';
      readonly failed: Failure;
      readonly notRestored: readonly Failure[];
      readonly originals: AbsolutePath;
    };
