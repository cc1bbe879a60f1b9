/** A workspace in which commands change a copy, and what can be done with their changes afterwards. */
import type { Workspace } from '../../core/workspace.js';
import type { Change } from './change.js';
import type { CommitPolicy } from './check-changes.js';
import { commitStage } from './commit.js';
import type { CommitResult } from './commit.js';
import { diffStage } from './diff.js';
import type { StageDiff } from './diff.js';
import { listChanges } from './list-changes.js';
import type { ReadXattrs } from './overlay-marks.js';
import { dropStage } from './stage.js';
import type { Stage } from './stage.js';

export interface StagedWorkspace {
  /** Its commands see their changes; its files are the real ones. */
  readonly workspace: Workspace;
  /** What its commands have changed up to now; to be asked when none is running. */
  changes(): Promise<readonly Change[]>;
  diff(changes: readonly Change[]): Promise<StageDiff>;
  /** Makes the changes for real, all of them or none. */
  commit(changes: readonly Change[]): Promise<CommitResult>;
  /** Forgets the changes; to be called in any case. */
  drop(): Promise<void>;
}

type Parts = { readonly workspace: Workspace; readonly readXattrs: ReadXattrs; readonly policy: CommitPolicy };

export function stagedWorkspace(stage: Stage, { workspace, readXattrs, policy }: Parts): StagedWorkspace {
  return {
    workspace,
    changes: () => listChanges(stage, readXattrs),
    diff: (changes) => diffStage(stage, changes),
    commit: (changes) => commitStage(stage, changes, policy),
    drop: () => dropStage(stage),
  };
}
