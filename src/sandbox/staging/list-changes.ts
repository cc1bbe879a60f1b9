/**
 * Compares what an overlay kept with the workspace below it. Only for a stage that nothing writes to any more. Whatever
 * cannot be told is a change with a problem, never left out.
 */
import { isUtf8 } from 'node:buffer';
import { lstat, readdir, readlink } from 'node:fs/promises';

import { messageOf } from '../../core/errors.js';
import { factsOf } from './facts.js';
import type { Change, Facts } from '../../core/staging.js';
import type { ReadXattrs } from './overlay-marks.js';
import { hasSameContent } from './same-content.js';
import type { Stage } from './stage.js';
import { ODD_NAME, readStagedTree } from './staged-tree.js';
import type { StagedEntry } from './staged-tree.js';

/** Every change, by path: a folder comes before what is in it. */
export async function listChanges(stage: Stage, readXattrs: ReadXattrs): Promise<readonly Change[]> {
  const root = await readStagedTree(stage.upper, readXattrs);
  const changes: Change[] = [];
  const present = await factsAt(stage.lower);
  if (present?.entry !== 'folder') throw new Error(`the workspace ${stage.lower} is not a folder any more`);
  await compareEntry({ stage, changes, isHidden: false }, { path: '.', staged: root, present });
  return changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

type Comparison = {
  readonly stage: Stage;
  readonly changes: Change[];
  /** A folder above was removed and made anew, so nothing of the workspace shows through here. */
  readonly isHidden: boolean;
};

type Pair = { readonly path: string; readonly staged: StagedEntry; readonly present: Facts | undefined };

async function compareEntry(comparison: Comparison, { path, staged, present }: Pair): Promise<void> {
  const { stage, changes } = comparison;
  const isFolder = staged.facts.entry === 'folder';
  if (staged.isWhiteout && staged.problem === undefined) {
    if (present !== undefined) await listDeleted(comparison, path, present);
    return;
  }
  const isLost = isFolder && staged.isCopied && present === undefined;
  const problem = staged.problem ?? (isLost ? 'it has been removed from the workspace meanwhile' : undefined);
  const kind = problem === undefined ? await kindOf(stage, { path, staged, present }) : present ? 'modified' : 'added';
  if (kind !== undefined) changes.push(describe({ path, staged, present }, kind, problem));
  if (present?.entry === 'folder' && !isFolder) await listDeletedChildren(comparison, path, new Set());
  if (isFolder) await compareChildren(comparison, { path, staged, present });
}

function describe({ path, staged, present }: Pair, kind: Change['kind'], problem?: string): Change {
  const { facts } = staged;
  return {
    path,
    kind,
    entry: facts.entry,
    staged: facts,
    ...(present !== undefined && { present }),
    ...(problem !== undefined && { problem }),
  };
}

async function kindOf(stage: Stage, { path, staged, present }: Pair): Promise<Change['kind'] | undefined> {
  if (present === undefined) return 'added';
  const { entry, mode } = staged.facts;
  if (entry !== present.entry) return 'replaced';
  const [ours, theirs] = [`${stage.upper}/${path}`, `${stage.lower}/${path}`];
  if (entry === 'link') return (await readlink(ours)) === (await readlink(theirs)) ? undefined : 'modified';
  // A pipe or device that was touched is never taken over, so it need not be compared.
  const isContentSame = entry === 'folder' || (entry === 'file' && (await hasSameContent(ours, theirs)));
  if (!isContentSame) return 'modified';
  return mode === present.mode ? undefined : 'mode-changed';
}

async function compareChildren(comparison: Comparison, { path, staged, present }: Pair): Promise<void> {
  const { stage } = comparison;
  const isHidden = comparison.isHidden || staged.isOpaque;
  const hasLower = present?.entry === 'folder';
  for (const child of staged.children) {
    const childPath = below(path, child.name);
    // Below a link there may be files too, but they are not the workspace's.
    const facts = hasLower ? await factsAt(`${stage.lower}/${childPath}`) : undefined;
    await compareEntry({ ...comparison, isHidden }, { path: childPath, staged: child, present: facts });
  }
  if (!isHidden || !hasLower) return;
  await listDeletedChildren(comparison, path, new Set(staged.children.map(({ name }) => name)));
}

async function listDeleted(comparison: Comparison, path: string, present: Facts): Promise<void> {
  comparison.changes.push({ path, kind: 'deleted', entry: present.entry, present });
  if (present.entry === 'folder') await listDeletedChildren(comparison, path, new Set());
}

async function listDeletedChildren({ stage, ...rest }: Comparison, path: string, kept: Set<string>): Promise<void> {
  const folder = `${stage.lower}/${path}`;
  try {
    for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
      const name = bytes.toString();
      if (!isUtf8(bytes)) rest.changes.push({ ...unclear(below(path, name)), problem: ODD_NAME });
      else if (!kept.has(name)) await listDeletedChild({ stage, ...rest }, below(path, name));
    }
  } catch (error) {
    rest.changes.push({ ...unclear(path), problem: `what is deleted in it cannot be told: ${messageOf(error)}` });
  }
}

async function listDeletedChild(comparison: Comparison, path: string): Promise<void> {
  const present = await factsAt(`${comparison.stage.lower}/${path}`);
  if (present !== undefined) await listDeleted(comparison, path, present);
}

function unclear(path: string): Change {
  return { path, kind: 'deleted', entry: 'file' };
}

async function factsAt(file: string): Promise<Facts | undefined> {
  try {
    return factsOf(await lstat(file, { bigint: true }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}
