/**
 * What became of several names, as one text in the form of `git diff`. What such a text cannot say, such as an empty
 * folder, stands between the files as a plain sentence. What is too large is named, not shown.
 */
import type { ChangeDiff } from '../core/change-log.js';
import type { FileState } from '../core/files.js';
import { DIFF_LIMITS } from './diff-limits.js';
import type { DiffLimits } from './diff-limits.js';
import { LINK_MODE, fileDiff, fileMode, renameDiff } from './file-diff.js';
import type { DiffSide } from './file-diff.js';
import { findRenames } from './find-renames.js';
import type { FoundRename } from './find-renames.js';
import { quotedName } from './quoted-name.js';

export type StateChange = {
  /** Relative, with `/` between names. */
  readonly name: string;
  readonly before: FileState;
  readonly after: FileState;
};

export function stateDiff(changes: readonly StateChange[], limits: DiffLimits = DIFF_LIMITS): ChangeDiff {
  const leftOut: { path: string; reason: string }[] = [];
  const renames = findRenames(changes.filter((change) => !isTooLarge(change, limits)));
  const moved = new Set(renames.map(({ from }) => from));
  const byTarget = new Map(renames.map((rename) => [rename.to, rename]));
  let text = '';
  for (const change of changes.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (moved.has(change)) continue;
    const reason = reasonNotToShow(change, text.length, limits);
    if (reason !== undefined) {
      leftOut.push({ path: change.name, reason });
      text += `Not shown: ${quotedName(change.name)}: ${reason}\n`;
      continue;
    }
    const rename = byTarget.get(change);
    text += rename === undefined ? diffOne(change, changes) : diffMoved(rename);
  }
  return { text, leftOut };
}

function reasonNotToShow(change: StateChange, length: number, limits: DiffLimits): string | undefined {
  if (length >= limits.totalCharacters) return 'the diff is long enough without it';
  return isTooLarge(change, limits) ? `it is larger than ${limits.fileBytes} bytes` : undefined;
}

function isTooLarge({ before, after }: StateChange, { fileBytes }: DiffLimits): boolean {
  return [before, after].some((state) => state.kind === 'file' && state.content.length > fileBytes);
}

function diffMoved({ from, to, percent }: FoundRename): string {
  const [before, after] = [sideOf(from.before), sideOf(to.after, modeOf(from.before))];
  return before && after ? renameDiff({ from: from.name, to: to.name, percent }, before, after) : '';
}

function diffOne(change: StateChange, all: readonly StateChange[]): string {
  const { name, before, after } = change;
  const [old, fresh] = [sideOf(before), sideOf(after, modeOf(before))];
  const text = old === undefined && fresh === undefined ? '' : fileDiff(name, old, fresh);
  // A mode that nobody knows, and nothing else.
  const shown = old && fresh && text.indexOf('\n') === text.length - 1 ? '' : text;
  return folderSentence(change, all) + shown;
}

function sideOf(state: FileState, otherMode?: number): DiffSide | undefined {
  if (state.kind === 'link') return { mode: LINK_MODE, content: Buffer.from(state.target) };
  if (state.kind !== 'file') return undefined;
  return { mode: fileMode(state.mode ?? otherMode ?? 0o644), content: state.content };
}

/** A folder with something in it is told of by that. */
function folderSentence({ name, before, after }: StateChange, all: readonly StateChange[]): string {
  if (before.kind !== 'folder' && after.kind !== 'folder') return '';
  if (before.kind === 'folder' && after.kind === 'folder') {
    const [old, fresh] = [modeWord(before.mode), modeWord(after.mode)];
    return old === fresh ? '' : `Changed: ${quotedName(name)}, from a folder${old} to a folder${fresh}\n`;
  }
  if (all.some((other) => other.name.startsWith(`${name}/`))) return '';
  if (after.kind === 'folder') return `Added: ${quotedName(name)}, a folder${modeWord(after.mode)}\n`;
  return `Deleted: ${quotedName(name)}, a folder${modeWord(modeOf(before))}\n`;
}

function modeWord(mode: number | undefined): string {
  return mode === undefined ? '' : ` (mode ${mode.toString(8)})`;
}

function modeOf(state: FileState): number | undefined {
  return state.kind === 'file' || state.kind === 'folder' ? state.mode : undefined;
}
