/** The log of one workspace: on record before it is done, shown on demand, and taken back as a whole or not at all. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

import type { ChangeHistory, ChangeLog } from '../core/change-log.js';
import { once } from '../core/once.js';
import type { Files } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { absolutePath } from '../core/paths.js';
import { commandRecorder } from './around-command.js';
import { aroundPaths } from './around-paths.js';
import { workspaceKey } from './workspace-key.js';
import { openEntryStore } from './entry-store.js';
import type { EntryStore } from './entry-store.js';
import { changeHistory } from './history.js';
import type { ChangeEvent, LogParts } from './parts.js';
import { pruneAll } from './prune.js';
import { recordingFiles } from './record-change.js';
import { recover } from './recover.js';
import { USUAL_LIMITS } from './scan.js';
import type { ScanLimits } from './scan.js';
import { watchWorkspace } from './workspace-watch.js';

export type ChangeLogOptions = {
  /** Where all logs are kept, each in a folder of its own. */
  readonly folder: string;
  readonly cwd: AbsolutePath;
  /** Any file of this machine, for putting back. */
  readonly files: Files;
  readonly emit?: (event: ChangeEvent) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Removes what a change of a process that is gone has left in a folder. */
  readonly removeLeftovers: (folder: AbsolutePath, pid: number) => Promise<void>;
  /** How much of the workspace is looked at around commands. */
  readonly limits?: ScanLimits;
};

export function createChangeLog(options: ChangeLogOptions): ChangeLog & ChangeHistory {
  const { folder, files, emit, now = Date.now, removeLeftovers, limits = USUAL_LIMITS } = options;
  const cwd = realFolder(options.cwd);
  const store = openEntryStore({ folder: path.join(folder, workspaceKey(cwd)), now });
  const recovered = once(() => recover(parts));
  const parts: LogParts = {
    cwd,
    folder,
    store: withPruning(store, () => pruneAll(folder, now())),
    files,
    watch: watchWorkspace(cwd, limits),
    limits,
    recovered,
    removeLeftovers,
    ...(emit && { emit }),
  };
  return {
    // What cannot be put right is told to whoever wants to change something next.
    ready: () => recovered().catch(() => undefined),
    recording: (owner, given) => recordingFiles(parts, owner, given),
    aroundCommand: commandRecorder(parts),
    aroundPaths: (owner, paths, work) => aroundPaths(parts, { owner, paths }, work),
    ...changeHistory(parts),
  };
}

function realFolder(cwd: AbsolutePath): AbsolutePath {
  try {
    return absolutePath(realpathSync.native(cwd));
  } catch {
    return cwd;
  }
}

/** Once, when the first entry is written: nobody waits for it, and if it fails, the next log will do it. */
function withPruning(store: EntryStore, prune: () => Promise<void>): EntryStore {
  let isPruned = false;
  const pruning = <Value>(value: Value): Value => {
    if (!isPruned) void prune().catch(() => undefined);
    isPruned = true;
    return value;
  };
  return {
    ...store,
    begin: async (draft) => pruning(await store.begin(draft)),
    add: async (draft) => pruning(await store.add(draft)),
    mark: async (owner, uncovered) => pruning(await store.mark(owner, uncovered)),
  };
}
