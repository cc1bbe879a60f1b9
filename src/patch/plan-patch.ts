/** From a patch to the changes it makes. All is worked out before anything is written; each section sees what those before it left. */
import type { FileChange } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { applySection } from './apply-section.js';
import { changeOf, openTree } from './file-tree.js';
import type { ReadSource, TreeFile } from './file-tree.js';
import { MOST_EFFORT } from './find-lines.js';
import { spokenLines } from './line-index.js';
import { lineSieve } from './line-sieve.js';
import { EXACT } from './matching-passes.js';
import type { Patch } from './patch.js';

export type PatchPlan = {
  /** One for each path that comes out otherwise than it was. */
  readonly changes: readonly FileChange[];
  /** What happened to each path as the patch writes it: added first, then modified, then deleted. */
  readonly summary: readonly SummaryLine[];
  /** What the model should know although it worked. */
  readonly notes: readonly string[];
};

type SummaryLine = { readonly letter: 'A' | 'M' | 'D'; readonly path: string };

/** Throws a `PatchError` when the patch does not fit the files. */
export async function planPatch(patch: Patch, base: AbsolutePath, read: ReadSource): Promise<PatchPlan> {
  const tree = await openTree(patch, base, read);
  const notes: string[] = [];
  const spoken = spokenLines(patch);
  const work = { spoken, sieve: lineSieve(spoken(EXACT)), effort: { left: MOST_EFFORT } };
  for (const section of patch.sections) applySection(tree, section, work, notes);
  const planned = [...tree.files].map((file) => ({ summary: summaryLine(file), change: changeOf(file) }));
  for (const { summary, change } of planned) {
    if (summary !== undefined && change === undefined) notes.push(`${summary.path}: the patch leaves it as it was`);
  }
  const summary = planned.map((file) => file.summary).filter((line) => line !== undefined);
  const changes = planned.map((file) => file.change).filter((change) => change !== undefined);
  return { changes, summary: grouped(summary), notes };
}

/** What a model is told: the files, then the notes. */
export function successText({ summary, notes }: PatchPlan): string {
  const lines = summary.map(({ letter, path }) => `${letter} ${path}`);
  return ['Success. Updated the following files:', ...lines, ...notes.map((note) => `note: ${note}`), ''].join('\n');
}

/** The net effect: a file that comes and goes is not worth a word, one that goes and comes back was modified. */
function summaryLine({ written, found, deeds }: TreeFile): SummaryLine | undefined {
  const [first, last] = [deeds[0], deeds.at(-1)];
  if (first === undefined || last === undefined || last === 'moved away') return undefined;
  const existed = found.kind === 'read' && found.source !== undefined;
  if (last === 'D') return existed ? { letter: 'D', path: written } : undefined;
  return { letter: first === 'A' || (first === 'moved away' && last === 'A') ? 'A' : 'M', path: written };
}

function grouped(summary: readonly SummaryLine[]): readonly SummaryLine[] {
  return (['A', 'M', 'D'] as const).flatMap((letter) => summary.filter((line) => line.letter === letter));
}
