/** A log that keeps nothing: calls change files as if nobody looked. */
import type { ChangeHistory, ChangeLog, UndoResult } from '../core/change-log.js';

export const NO_CHANGES: ChangeLog = {
  ready: async () => {},
  recording: (_, files) => files,
  aroundCommand: (_, command) => command(),
  aroundPaths: (_owner, _paths, work) => work(),
};

const NOTHING: UndoResult = { kind: 'nothing', reason: 'what calls change is not kept here' };

export const NO_HISTORY: ChangeHistory = {
  list: async () => [],
  diff: async () => ({ text: '', leftOut: [] }),
  undo: async () => NOTHING,
  redo: async () => NOTHING,
};
