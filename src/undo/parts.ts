/** What the parts of a log share. */
import type { ChangedFile } from '../core/change-log.js';
import type { Files } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import type { EntryStore } from './entry-store.js';
import type { ScanLimits } from './scan.js';
import type { WorkspaceWatch } from './workspace-watch.js';

export type ChangeEvent =
  /** `diff`: in the form of `git diff`, where it is not too long. */
  | {
      readonly type: 'files.changed';
      readonly callId: string;
      readonly files: readonly ChangedFile[];
      readonly diff?: string;
    }
  /** A command's changes could not be written down; they stand, and cannot be taken back. */
  | { readonly type: 'changes.unrecorded'; readonly callId: string; readonly reason: string }
  | ({ readonly type: 'changes.recovered' } & Recovered);

/** What became of a change that was cut short. */
export type Recovered = {
  readonly id: string;
  /** `completed`: all of it had been made. `put-back`: some had, and is as before. `left`: not all could be put back. */
  readonly result: 'completed' | 'put-back' | 'left';
  /** What was completed, or put back, or left. */
  readonly paths: readonly string[];
};

export type LogParts = {
  readonly cwd: AbsolutePath;
  /** Where all logs are kept. */
  readonly folder: string;
  readonly store: EntryStore;
  /** Any file of this machine. */
  readonly files: Files;
  readonly watch: WorkspaceWatch;
  /** How much is looked at and kept around commands. */
  readonly limits: ScanLimits;
  /** Resolves once whatever an earlier run left half done has been put right; throws when it cannot be. */
  readonly recovered: () => Promise<void>;
  readonly emit?: (event: ChangeEvent) => void;
  /** Removes what a change of a process that is gone has left in a folder. */
  readonly removeLeftovers: (folder: AbsolutePath, pid: number) => Promise<void>;
};
