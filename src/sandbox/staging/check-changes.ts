/** Everything that forbids a commit, found before anything is written. What cannot be checked is refused. */
import type { BigIntStats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { messageOf } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { SandboxPolicy } from '../policy.js';
import { inFolder, inParent } from './beneath.js';
import { factsOf, isSame } from './facts.js';
import type { Change, Facts } from '../../core/staging.js';
import { leadsOut } from './leads-out.js';
import type { Failure } from '../../core/staging.js';
import { stageBegan } from './stage.js';
import type { Stage } from './stage.js';

export type CommitPolicy = Pick<SandboxPolicy, 'protectedNames' | 'protectedPaths'>;

export type Checking = {
  readonly stage: Stage;
  readonly policy: CommitPolicy;
  readonly lower: FileHandle;
  readonly upper: FileHandle;
};

/** One reason for each change that must not be; none when all of them may be replayed. */
export async function checkChanges(checking: Checking, changes: readonly Change[]): Promise<readonly Failure[]> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const began = await stageBegan(checking.stage);
  const refusals: Failure[] = [];
  for (const change of changes) {
    const reason = await whyNot({ ...checking, byPath, began }, change).catch(
      (error: unknown) => `it cannot be checked: ${messageOf(error)}`,
    );
    if (reason !== undefined) refusals.push({ path: change.path, reason });
  }
  return refusals;
}

type Check = Checking & { readonly byPath: ReadonlyMap<string, Change>; readonly began: bigint };

async function whyNot(check: Check, change: Change): Promise<string | undefined> {
  return (
    change.problem ??
    whyOdd(change) ??
    whyProtected(check, change) ??
    whyForbiddenKind(change) ??
    (await whyStale(check, change)) ??
    (await whyLeadingOut(check, change))
  );
}

function whyOdd({ path }: Change): string | undefined {
  const isPlain = path === '.' || path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain ? undefined : 'its path does not name a place in the workspace';
}

function whyProtected({ stage, policy }: Check, { path, entry }: Change): string | undefined {
  // A file system may take letters of both cases for the same.
  const names = new Set(policy.protectedNames.map((name) => name.toLowerCase()));
  const name = path.split('/').find((part) => names.has(part.toLowerCase()));
  if (name !== undefined) return `${name} is protected`;
  const file = absolutePath(`${stage.lower}/${path}`);
  for (const place of policy.protectedPaths) {
    if (isInside(place, file)) return `${place} is protected`;
    if (entry !== 'folder' && isInside(file, place)) return `${place} is protected, and this is on the way to it`;
  }
  return undefined;
}

function whyForbiddenKind({ staged }: Change): string | undefined {
  if (staged === undefined) return undefined;
  const { entry, mode } = staged;
  if (entry === 'fifo' || entry === 'socket' || entry === 'device') return `a ${entry} is never taken over`;
  return entry !== 'link' && (mode & 0o6000) !== 0 ? 'it would run with the rights of its owner or group' : undefined;
}

/** What was listed, and hence shown, must be what is there on both sides. */
async function whyStale(check: Check, change: Change): Promise<string | undefined> {
  const { path, present, staged, kind } = change;
  const theirs = await presentFacts(check, path);
  if (theirs === 'diverted') return 'a folder above it is gone or a link now';
  if (!isSame(present, theirs)) return 'it has changed in the workspace since the changes were listed';
  // The times of a folder also change with what is in it; that matters only if all of that is to go.
  const isSettled = present?.entry === 'folder' && kind === 'mode-changed';
  if (present !== undefined && !isSettled && BigInt(present.changed) >= check.began) {
    return 'it has changed in the workspace after the command began';
  }
  const ours = staged && factsOf(await lstatIn(check.upper, path));
  return isSame(staged, ours) ? undefined : 'it has changed in the stage since the changes were listed';
}

async function presentFacts({ lower, byPath }: Check, path: string): Promise<Facts | undefined | 'diverted'> {
  try {
    return factsOf(await lstatIn(lower, path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
    const isOwnFolderMissing = code !== 'ENOENT' || !(await hasParent(lower, path));
    return isOwnFolderMissing && !comesWith(byPath, path) ? 'diverted' : undefined;
  }
}

async function lstatIn(root: FileHandle, path: string): Promise<BigIntStats> {
  if (path === '.') return inFolder(root, path, (at) => stat(at, { bigint: true }));
  return inParent(root, path, (at) => lstat(at, { bigint: true }));
}

async function hasParent(root: FileHandle, path: string): Promise<boolean> {
  return inParent(root, path, async () => true).catch(() => false);
}

/** Whether the folder it is in will be made by the same commit. */
function comesWith(changes: ReadonlyMap<string, Change>, path: string): boolean {
  const folder = changes.get(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  return folder?.staged?.entry === 'folder' && (folder.kind === 'added' || folder.kind === 'replaced');
}

async function whyLeadingOut({ stage, byPath }: Check, { path, staged }: Change): Promise<string | undefined> {
  if (staged?.entry !== 'link') return undefined;
  return (await leadsOut(stage, byPath, path)) ? 'it is a link that leads out of the workspace' : undefined;
}
