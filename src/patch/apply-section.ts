/** What one section of a patch does to the files as the sections before it left them. */
import { isUtf8 } from 'node:buffer';

import { applyHunk } from './apply-hunk.js';
import { isPlain } from './byte-text.js';
import { openDraft, rewind } from './draft.js';
import type { Draft, Work } from './draft.js';
import { contentOf } from './file-tree.js';
import type { FileNow, FileTree, TreeFile } from './file-tree.js';
import { PatchError } from './patch-error.js';
import type { FileSection, Hunk } from './patch.js';
import { readableFile } from './readable-file.js';
import { replaceText } from './replace-text.js';

type Section<Kind extends FileSection['kind']> = Extract<FileSection, { readonly kind: Kind }>;

export function applySection(tree: FileTree, section: FileSection, work: Work, notes: string[]): void {
  const file = tree.at(section.path);
  if (section.kind === 'add') {
    mustBeFree(file, section.isNew, notes);
    return addFile(file, Buffer.from(section.content), section.mode);
  }
  if (section.kind === 'delete') return deleteFile(file, section, work, notes);
  if (section.kind === 'update') return updateFile(tree, section, work, notes);
  const change = replaceText(file, section);
  if (change.kind === 'add') return addFile(file, change.content);
  const now = readableFile(file, 'Failed to read file to update');
  if (change.kind === 'content') file.now = { ...now, content: change.content };
  else applyHunks(file, draftOf(file, now, work), change.hunks, notes);
  file.deeds.push('M');
}

/** A file that is there is overwritten, and keeps its mode but for what the patch says of running it. */
function addFile(file: TreeFile, content: Uint8Array, mode?: number): void {
  if (file.found.kind === 'unreadable') readableFile(file, 'Failed to write file');
  if (file.now === undefined) file.linkGone = true;
  file.now = { content, mode: modeAfter(file.now?.mode, mode) };
  file.deeds.push('A');
}

/** Models replace files that they did not know of; a diff was made from what is there. */
function mustBeFree(file: TreeFile, isNew: true | undefined, notes: string[]): void {
  if (file.now === undefined) return;
  if (isNew) {
    throw new PatchError(`Failed to write file ${file.path}: it is there already. Update it, or delete it first.`);
  }
  notes.push(`${file.written}: it was there already, and was replaced`);
}

function deleteFile(file: TreeFile, { hunks }: Section<'delete'>, work: Work, notes: string[]): void {
  const isLink = file.found.kind === 'read' && file.found.source?.kind === 'link' && !file.linkGone;
  if (!isLink || hunks.length > 0) {
    const now = readableFile(file, 'Failed to read');
    if (hunks.length > 0) checkWhole(file, draftOf(file, now, work), hunks, notes);
  }
  file.now = undefined;
  file.linkGone = true;
  file.deeds.push('D');
}

function checkWhole(file: TreeFile, draft: Draft, hunks: readonly Hunk[], notes: string[]): void {
  applyHunks(file, draft, hunks, notes);
  if (contentOf({ content: Buffer.alloc(0), draft }).length === 0) return;
  throw new PatchError(
    `Failed to delete ${file.path}: it has lines that the patch does not remove. Read the file again, or delete it without naming its lines.`,
  );
}

function updateFile(tree: FileTree, section: Section<'update'>, work: Work, notes: string[]): void {
  const file = tree.at(section.path);
  const now = readableFile(file, 'Failed to read file to update');
  const target = section.to === undefined ? file : tree.at(section.to.path);
  const isCopy = section.to?.copy === true && target !== file;
  if (target !== file && target.found.kind === 'unreadable') readableFile(target, 'Failed to write file');
  if (target !== file) mustBeFree(target, section.to?.isNew, notes);
  const result: FileNow = isCopy ? { content: contentOf(now), mode: now.mode } : now;
  if (section.hunks.length > 0) applyHunks(target, draftOf(file, result, work), section.hunks, notes);
  result.mode = modeAfter(now.mode, section.mode);
  if (target !== file && !isCopy) {
    file.now = undefined;
    file.linkGone = true;
    file.deeds.push('moved away');
  }
  if (target.now === undefined) target.linkGone = true;
  target.now = result;
  target.deeds.push(isCopy ? 'A' : 'M');
}

function draftOf(file: TreeFile, now: FileNow, work: Work): Draft {
  if (now.draft !== undefined) return now.draft;
  if (now.content.includes(0)) {
    throw new PatchError(
      `Failed to read file to update ${file.path}: it contains NUL bytes, so it is binary or in UTF-16, and cannot be patched. Change it with a command.`,
    );
  }
  now.draft = openDraft(now.content, work);
  return now.draft;
}

function applyHunks(file: TreeFile, draft: Draft, hunks: readonly Hunk[], notes: string[]): void {
  rewind(draft);
  for (const [at, hunk] of hunks.entries()) {
    const note = applyHunk(draft, hunk, file.path);
    if (note !== undefined) notes.push(`${file.written}: hunk ${at + 1} ${note}`);
  }
  const addsOther = hunks.some(({ lines }) => lines.some((line) => line.mark === '+' && !isPlain(line.text)));
  if (addsOther && file.now !== undefined && !isUtf8(file.now.content)) {
    notes.push(`${file.written}: the file is not in UTF-8, but the added lines are`);
  }
}

/** Git tells only whether a file may be run; the other bits stay as they are. */
function modeAfter(existing: number | undefined, stated: number | undefined): number | undefined {
  if (existing === undefined || stated === undefined) return stated ?? existing;
  return (stated & 0o111) === 0 ? existing & ~0o111 : existing | ((existing & 0o444) >> 2);
}
