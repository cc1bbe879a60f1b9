/** A stage that is a plain copy of the folder: real commands run in it, and their changes are copied back. */
import { cpSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../src/core/paths.js';
import type { Change, OpenStage } from '../../src/core/staging.js';
import type { Command, Profile, SandboxReport, Workspace } from '../../src/core/workspace.js';
import { tempFolder } from '../support/temp-folder.js';

export type CopiedStages = {
  readonly open: OpenStage;
  /** The rights of each copy that was opened. */
  readonly opened: readonly Profile['grants'][];
  /** The copies that are still there. */
  left(): readonly string[];
};

/** `denies` is reported of every command on a copy without rights. */
export function copiedStages(denies?: SandboxReport): CopiedStages {
  const folder = tempFolder();
  const opened: Profile['grants'][] = [];
  const open: OpenStage = async (workspace, { grants }, report) => {
    opened.push(grants);
    const copy = path.join(folder, `copy${opened.length}`);
    const original = path.join(folder, `original${opened.length}`);
    for (const place of [copy, original]) cpSync(workspace.cwd, place, { recursive: true });
    const stop = grants.length === 0 && denies ? () => report(denies) : () => {};
    return {
      workspace: commandsIn(copy, workspace, stop),
      changes: async () => changesBetween(original, copy),
      diff: async (changes) => ({ text: changes.map((change) => lineOf(change, copy)).join(''), leftOut: [] }),
      async commit(changes) {
        const refused = changes
          .filter((change) => contentOf(original, change.path) !== contentOf(workspace.cwd, change.path))
          .map((change) => ({ path: change.path, reason: 'somebody else has changed it meanwhile' }));
        if (refused.length > 0) return { kind: 'refused', refused };
        for (const change of changes) makeReal(change, copy, workspace.cwd);
        return { kind: 'committed', done: changes };
      },
      async drop() {
        for (const place of [copy, original]) rmSync(place, { recursive: true });
      },
    };
  };
  return { open, opened, left: () => readdirSync(folder) };
}

function commandsIn(copy: string, workspace: Workspace, ended: () => void): Workspace {
  const moved = (command: Command): Command => ({
    ...command,
    cwd: absolutePath(path.join(copy, path.relative(workspace.cwd, command.cwd))),
  });
  return {
    cwd: workspace.cwd,
    files: workspace.files,
    shellCommand: (script, options) => workspace.shellCommand(script, options),
    async spawn(command) {
      const process = await workspace.spawn(moved(command));
      return { ...process, exit: process.exit.then((exit) => (ended(), exit)) };
    },
  };
}

function changesBetween(original: string, copy: string): readonly Change[] {
  const names = new Set([...readdirSync(original), ...readdirSync(copy)]);
  return [...names].toSorted().flatMap((name): Change[] => {
    const [before, after] = [contentOf(original, name), contentOf(copy, name)];
    if (before === after) return [];
    const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified';
    return [{ path: name, kind, entry: 'file' }];
  });
}

function contentOf(folder: string, name: string): string | undefined {
  return readdirSync(folder).includes(name) ? readFileSync(path.join(folder, name), 'utf8') : undefined;
}

function lineOf({ path: name, kind }: Change, copy: string): string {
  return `${kind} ${name}: ${contentOf(copy, name) ?? ''}\n`;
}

function makeReal({ path: name, kind }: Change, copy: string, folder: string): void {
  if (kind === 'deleted') rmSync(path.join(folder, name));
  else cpSync(path.join(copy, name), path.join(folder, name));
}
