/** Runs a command on a copy of the workspace, shows what it changed, and makes it real only when that is wanted. */
import type { CommitResult, ProcessExit, StagedWorkspace, Workspace } from '../index.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

export type PreviewOptions = {
  /** Makes the changes real. */
  readonly apply: boolean;
  readonly run: (workspace: Workspace) => Promise<ProcessExit>;
};

export async function previewRun(staged: StagedWorkspace, { apply, run }: PreviewOptions): Promise<ProcessExit> {
  try {
    const exit = await run(staged.workspace);
    const changes = await staged.changes();
    const { text, leftOut } = await staged.diff(changes);
    process.stdout.write(visible(text));
    for (const { path, reason } of leftOut) say(`${path} is not shown in full: ${reason}`);
    if (changes.length === 0) say('nothing would change');
    else if (apply && !hasSucceeded(exit)) say('the command failed, so none of this was made');
    else if (apply) report(await staged.commit(changes));
    else say(`${count(changes.length)} shown, none made; --apply makes them`);
    return exit;
  } finally {
    await staged.drop();
  }
}

function hasSucceeded(exit: ProcessExit): boolean {
  return exit.kind === 'exited' && exit.code === 0;
}

function report(result: CommitResult): void {
  if (result.kind === 'committed') return say(`${count(result.done.length)} made`);
  if (result.kind === 'refused') {
    const reasons = result.refused.map(({ path, reason }) => `\n  ${path}: ${reason}`);
    throw new UsageError(`nothing was changed, because of:${visible(reasons.join(''))}`);
  }
  const { path, reason } = result.failed;
  if (result.kind === 'rolled-back') throw new UsageError(`nothing was changed: ${visible(path)}: ${reason}`);
  throw new UsageError(
    `${visible(path)}: ${reason}; what could not be put back is in ${visible(result.originals)}, nothing was deleted`,
  );
}

function count(changes: number): string {
  return changes === 1 ? '1 change' : `${changes} changes`;
}

function say(text: string): void {
  process.stderr.write(`tenon: ${visible(text)}\n`);
}
