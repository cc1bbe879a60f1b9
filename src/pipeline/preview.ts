/**
 * The ground of a previewed attempt is a copy of the workspace. What the tool changed there is shown to somebody, and
 * nothing of the workspace is changed before that was answered with yes. What may be written elsewhere is no copy.
 */
import path from 'node:path';

import { ToolFailure, isOwnError, messageOf } from '../core/errors.js';
import type { ToolOutput } from '../core/output.js';
import { absolutePath } from '../core/paths.js';
import type { Sessions } from '../core/sessions.js';
import type { Change, StagedWorkspace } from '../core/staging.js';
import type { Process } from '../core/workspace.js';
import { AFTER_A_NO, askOnce } from './ask.js';
import type { Refusals, Subject } from './ask.js';
import { afterCommit } from './after-commit.js';
import { recorded, workspaceGround } from './ground.js';
import type { Ground, GroundParts, GroundUse } from './ground.js';
import type { Preview } from './previewable.js';
import type { Asked } from './reply-to.js';
import { endAll, watchSpawns } from './watch-spawns.js';

export type PreviewParts = GroundParts & Asked & { readonly preview: Preview | undefined; readonly sessions: Sessions };

/** Where there can be no copy, it is the workspace itself, if somebody says so. */
export async function previewGround(use: GroundUse, subject: Subject, parts: PreviewParts): Promise<Ground> {
  const staged = await openStage(use, subject, parts).catch(async (error: unknown) => {
    // A sandbox that does not start, starts no better without a copy.
    if (isOwnError(error) && !(error instanceof ToolFailure)) throw error;
    const reason = `it cannot be previewed here: ${messageOf(error)}`;
    await askOnce(subject, { reason, rule: RULE, ...use.permission }, parts);
  });
  return staged ? stagedGround(staged, use, subject, parts) : workspaceGround(use, parts);
}

const RULE = { name: 'preview' };

async function openStage(use: GroundUse, { cancellation }: Subject, parts: PreviewParts): Promise<StagedWorkspace> {
  const { preview, workspace, profile } = parts;
  if (preview === undefined) throw new ToolFailure('there is nothing to run it on');
  const opening = (async () => preview.open(workspace, { ...profile, grants: use.permission.grants }, use.report))();
  try {
    return await cancellation.unlessAborted(() => opening);
  } catch (error) {
    // Whoever opens it late must not leave it behind.
    void opening.then((staged) => staged.drop()).catch(() => {});
    throw error;
  }
}

function stagedGround(staged: StagedWorkspace, use: GroundUse, subject: Subject, parts: PreviewParts): Ground {
  const { owner, permission, report } = use;
  const { changes, workspace, sessions } = parts;
  const watch = watchSpawns(staged.workspace);

  async function commit(made: readonly Change[], output: ToolOutput): Promise<ToolOutput> {
    const paths = made.map((change) => absolutePath(path.join(workspace.cwd, change.path)));
    const result = await changes.aroundPaths(owner, paths, () => staged.commit(made));
    return afterCommit(result, output);
  }

  return {
    workspace: recorded(watch.workspace, owner, changes),
    run: (work) => work(),
    async keep(output) {
      await failIfRunning(await watch.close(), sessions);
      const { made, diff } = await whatChanged(staged, subject);
      if (made.length === 0) return output;
      const shown = { ...subject, presentation: { ...subject.presentation, diff } };
      await askOnce(shown, { reason: reasonFor(output), rule: RULE, ...permission }, parts, NOT_KEPT);
      return commit(made, output);
    },
    async leave() {
      try {
        await endAll(await watch.close());
        await staged.drop();
      } catch (error) {
        report({ kind: 'failed', reason: `the copy of the workspace could not be removed: ${messageOf(error)}` });
      }
    },
  };
}

/** What goes on could change more than anybody was shown. */
async function failIfRunning(running: readonly Process[], sessions: Sessions): Promise<void> {
  if (running.length === 0) return;
  const pids = new Set(running.map(({ pid }) => pid));
  const theirs = sessions.list().filter(({ pid }) => pid !== undefined && pids.has(pid));
  await Promise.all(theirs.map(async ({ id }) => sessions.find(id)?.end()));
  await endAll(running);
  throw new ToolFailure(
    'the command was to be previewed on a copy of the workspace and was still running when its answer was due. It was ' +
      'ended, and nothing was changed in the workspace itself. Let it finish (a longer yield_time_ms), or ask for it to ' +
      'be run without a preview.',
  );
}

type Shown = { readonly made: readonly Change[]; readonly diff: string };

async function whatChanged(staged: StagedWorkspace, { cancellation }: Subject): Promise<Shown> {
  try {
    const made = await cancellation.unlessAborted(() => staged.changes());
    if (made.length === 0) return { made, diff: '' };
    const { text } = await cancellation.unlessAborted(() => staged.diff(made));
    return { made, diff: text };
  } catch (error) {
    if (isOwnError(error)) throw error;
    throw new ToolFailure(
      `the command ran on a copy of the workspace, but what it changed there cannot be shown: ${messageOf(error)}. ` +
        'Nothing was changed in the workspace itself.',
      { cause: error },
    );
  }
}

function reasonFor({ success }: ToolOutput): string {
  const these = 'these are the changes it made on a copy; keep them?';
  return success === false ? `it failed, and ${these}` : these;
}

const RAN = 'the command ran on a copy of the workspace, and its changes were not kept';

const NOT_KEPT: Refusals = {
  byUser: (note) => (note === undefined ? `${RAN}. ${AFTER_A_NO}` : `${RAN}: ${note}`),
  unanswered: (why) => `${RAN}. Keeping them needs an approval, and ${why}.`,
};
