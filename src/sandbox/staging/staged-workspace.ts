/** A workspace in which commands change a copy, and what can be done with their changes afterwards. */
import type { Workspace } from '../../core/workspace.js';
import type { StagedWorkspace } from '../../core/staging.js';
import type { CommitPolicy } from './check-changes.js';
import { commitStage } from './commit.js';
import { diffStage } from './diff.js';
import { listChanges } from './list-changes.js';
import type { ReadXattrs } from './overlay-marks.js';
import { dropStage } from './stage.js';
import type { Stage } from './stage.js';

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
