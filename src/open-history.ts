/** The log of what calls did to the files of a workspace. Nothing of it is loaded before it is needed. */
import fs from 'node:fs';
import path from 'node:path';

import type { ChangeHistory, ChangeLog } from './core/change-log.js';
import { ConfigError } from './core/errors.js';
import { filesWith } from './core/files-with.js';
import { once } from './core/once.js';
import { absolutePath } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import { pinnedFiles } from './files/pinned-files.js';
import { removeLeftovers } from './files/temporary-name.js';
import { homeFolder } from './store/home.js';
import type { ChangeEvent } from './undo/parts.js';
import { workspaceKey } from './undo/workspace-key.js';

export type HistoryOptions = {
  /** The workspace. */
  readonly cwd: string;
  /** Default: `$TENON_HOME`, else `~/.tenon`. */
  readonly home?: string;
};

/** What calls did in a workspace, for whoever wants to see it or take it back: no runtime is needed for that. */
export function openChangeHistory({ cwd, home = homeFolder() }: HistoryOptions): ChangeHistory {
  if (home === undefined) throw new ConfigError('TENON_HOME must be an absolute path');
  return openChangeLog({ cwd: absolutePath(path.resolve(cwd)), home: path.resolve(home) });
}

export type LogOptions = {
  readonly cwd: AbsolutePath;
  readonly home: string;
  readonly emit?: (event: ChangeEvent) => void;
};

export function openChangeLog({ cwd, home, emit }: LogOptions): ChangeLog & ChangeHistory {
  const folder = path.join(home, 'changes');
  const log = once(async () => {
    const { createChangeLog } = await import('./undo/create-change-log.js');
    return createChangeLog({ folder, cwd, files: pinnedFiles, removeLeftovers, ...(emit && { emit }) });
  });
  return {
    async ready() {
      if (log.started() || hasPending(folder, cwd)) await (await log()).ready();
    },
    recording: (owner, files) =>
      filesWith(files, { change: async (changes) => (await log()).recording(owner, files).change(changes) }),
    aroundCommand: async (owner, command) => (await log()).aroundCommand(owner, command),
    aroundPaths: async (owner, paths, work) => (await log()).aroundPaths(owner, paths, work),
    list: async () => (await log()).list(),
    diff: async (choice) => (await log()).diff(choice),
    undo: async (choice) => (await log()).undo(choice),
    redo: async () => (await log()).redo(),
  };
}

/** Whether anything may have been left half done, seen without loading anything. */
function hasPending(folder: string, cwd: AbsolutePath): boolean {
  try {
    const log = path.join(folder, workspaceKey(absolutePath(fs.realpathSync.native(cwd))));
    return fs.existsSync(log) && fs.readdirSync(log).some((name) => name.endsWith('.pending'));
  } catch {
    return false;
  }
}
