/** What calls did to files, kept so that it can be shown and taken back. */
import type { Files } from './files.js';
import type { CallId } from './ids.js';
import type { AbsolutePath } from './paths.js';

/** Whose change it is. Calls of one turn are shown and taken back together. */
export type ChangeOwner = {
  readonly callId: CallId;
  readonly turn: string;
  /** How a person sees the call. */
  readonly title: string;
};

/** The side that the spine sees. Nothing here throws for its own reasons but `Fatal`: what is not on record is not done. */
export interface ChangeLog {
  /**
   * Resolves once whatever an earlier run left half done has been put right; quick when there is nothing. Never rejects: what
   * cannot be put right stops the next change.
   */
  ready(): Promise<void>;
  /** The same files, but each change is on record before it is made. */
  recording(owner: ChangeOwner, files: Files): Files;
  /** Runs something that may change any file of the workspace, and records what it did as far as that can be seen. */
  aroundCommand<Value>(owner: ChangeOwner, command: () => Promise<Value>): Promise<Value>;
  /** The same where it is known which names may change: they are on record before. */
  aroundPaths<Value>(owner: ChangeOwner, paths: readonly AbsolutePath[], work: () => Promise<Value>): Promise<Value>;
}

/** One entry of the log, newest first in lists. */
export type RecordedChange = {
  readonly id: string;
  readonly callId: CallId;
  readonly turn: string;
  readonly title: string;
  /** ISO 8601 time. */
  readonly at: string;
  readonly files: readonly ChangedFile[];
  /** The entries that this one took back. */
  readonly undoes?: readonly string[];
  /** The entry that took this one back. */
  readonly undoneBy?: string;
  /** What the call may have changed beyond that, in words; it cannot be taken back. */
  readonly uncovered?: string;
};

export type ChangedFile = {
  readonly path: AbsolutePath;
  readonly change: 'added' | 'modified' | 'deleted' | 'mode-changed';
};

/** Which changes are meant: those of one call, of one turn, or by default the latest. */
export type ChangeChoice = { readonly call?: string; readonly turn?: string };

export type UndoResult =
  | {
      readonly kind: 'undone';
      readonly entries: readonly RecordedChange[];
      readonly files: readonly ChangedFile[];
      /** What the calls may have done beyond that, in words. */
      readonly uncovered: readonly string[];
    }
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly reason: string; readonly paths: readonly AbsolutePath[] }
  | { readonly kind: 'nothing'; readonly reason: string };

/** One text in the form of `git diff`, and what it does not show in full. */
export type ChangeDiff = {
  readonly text: string;
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
};

/** The side that people see. */
export interface ChangeHistory {
  /** The newest first. */
  list(): Promise<readonly RecordedChange[]>;
  /** All that these changes come to, compared with what is on the disk now. */
  diff(choice?: ChangeChoice): Promise<ChangeDiff>;
  undo(choice?: ChangeChoice): Promise<UndoResult>;
  /** Takes back the latest undo that was not taken back. */
  redo(): Promise<UndoResult>;
}
