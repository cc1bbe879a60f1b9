/**
 * All changes as one text in the form of `git diff`, for people to read and for `git apply` to take. What such a text
 * cannot say, such as folders and pipes, stands between the files as a plain sentence. What is too large is named, not shown.
 */
import { readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import type { ChangeDiff } from '../../core/change-log.js';
import { messageOf } from '../../core/errors.js';
import { inParent, openFile, openRoot } from './beneath.js';
import type { Change, Facts } from '../../core/staging.js';
import { DIFF_LIMITS } from '../../diff/diff-limits.js';
import type { DiffLimits } from '../../diff/diff-limits.js';
import { LINK_MODE, fileDiff, fileMode } from '../../diff/file-diff.js';
import type { DiffSide } from '../../diff/file-diff.js';
import { quotedName } from '../../diff/quoted-name.js';
import type { Stage } from './stage.js';

export async function diffStage(
  stage: Stage,
  changes: readonly Change[],
  limits: DiffLimits = DIFF_LIMITS,
): Promise<ChangeDiff> {
  const lower = await openRoot(stage.lower);
  try {
    const upper = await openRoot(stage.upper);
    try {
      return await diffAll({ lower, upper, limits }, changes);
    } finally {
      await upper.close();
    }
  } finally {
    await lower.close();
  }
}

type Sides = { readonly lower: FileHandle; readonly upper: FileHandle; readonly limits: DiffLimits };

async function diffAll(sides: Sides, changes: readonly Change[]): Promise<ChangeDiff> {
  const leftOut: { path: string; reason: string }[] = [];
  let text = '';
  let unshown = 0;
  for (const change of changes) {
    if (text.length >= sides.limits.totalCharacters) {
      unshown++;
      leftOut.push({ path: change.path, reason: 'the diff is long enough without it' });
      continue;
    }
    const shown = await diffOne(sides, change);
    text += shown.text;
    if (shown.reason !== undefined) leftOut.push({ path: change.path, reason: shown.reason });
  }
  if (unshown > 0) text += `${unshown} more ${unshown === 1 ? 'change is' : 'changes are'} left out of this diff.\n`;
  return { text, leftOut };
}

type Shown = { readonly text: string; readonly reason?: string };

async function diffOne(sides: Sides, change: Change): Promise<Shown> {
  const { path, problem, present, staged } = change;
  if (problem !== undefined) return leaveOut(change, problem);
  try {
    const [before, after] = [await sideOf(sides, path, present, 'lower'), await sideOf(sides, path, staged, 'upper')];
    if (before === undefined && after === undefined) return { text: sentence(change) };
    if (before === 'too-large' || after === 'too-large')
      return leaveOut(change, `it is larger than ${sides.limits.fileBytes} bytes`);
    const note = isSpecial(present) || isSpecial(staged) ? sentence(change) : '';
    return { text: note + fileDiff(path, before, after) };
  } catch (error) {
    return leaveOut(change, `it cannot be read: ${messageOf(error)}`);
  }
}

type TooLarge = 'too-large';

async function sideOf(
  sides: Sides,
  path: string,
  facts: Facts | undefined,
  from: 'lower' | 'upper',
): Promise<DiffSide | TooLarge | undefined> {
  if (facts?.entry === 'link') {
    const content = await inParent(sides[from], path, (at) => readlink(at, { encoding: 'buffer' }));
    return { mode: LINK_MODE, content };
  }
  if (facts?.entry !== 'file') return undefined;
  if (facts.size > sides.limits.fileBytes) return 'too-large';
  return { mode: fileMode(facts.mode), content: await readWhole(sides[from], path, facts.size) };
}

async function readWhole(root: FileHandle, path: string, size: number): Promise<Buffer> {
  const handle = await openFile(root, path);
  try {
    if ((await handle.stat()).size !== size) throw new Error('it changed meanwhile');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function isSpecial(facts: Facts | undefined): boolean {
  return facts !== undefined && facts.entry !== 'file' && facts.entry !== 'link';
}

function sentence({ path, kind, present, staged }: Change): string {
  const entry = (facts: Facts | undefined): string => (facts ? `${facts.entry} (mode ${facts.mode.toString(8)})` : '');
  const name = quotedName(path);
  if (present === undefined) return `Added: ${name}, a ${entry(staged)}\n`;
  if (staged === undefined) return `Deleted: ${name}, a ${entry(present)}\n`;
  const verb = kind === 'replaced' ? 'Replaced' : 'Changed';
  return `${verb}: ${name}, from a ${entry(present)} to a ${entry(staged)}\n`;
}

function leaveOut({ path, kind, entry }: Change, reason: string): Shown {
  return { text: `Not shown: ${quotedName(path)}, a ${entry} that is ${kind}: ${oneLine(reason)}\n`, reason };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\x00-\x1f\x7f]/g, '?');
}
