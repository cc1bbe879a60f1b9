/** What became of one file, in the form of `git diff`, for people to read and for `git apply` to take. */
import { isUtf8 } from 'node:buffer';

import { hunksBetween } from './hunks.js';
import { quotedName } from './quoted-name.js';

/** A file or a link; the content of a link is where it leads. */
export type DiffSide = { readonly mode: string; readonly content: Uint8Array };

export function fileMode(permissions: number): string {
  return `10${permissions.toString(8).padStart(4, '0')}`;
}

export const LINK_MODE = '120000';

/** What became of another kind is shown as taken away and put back, as git does. */
export function fileDiff(path: string, before: DiffSide | undefined, after: DiffSide | undefined): string {
  if (before && after && isLink(before) !== isLink(after)) {
    return fileDiff(path, before, undefined) + fileDiff(path, undefined, after);
  }
  const header = `diff --git ${quotedName(`a/${path}`)} ${quotedName(`b/${path}`)}\n`;
  return header + modeLines(before?.mode, after?.mode) + contentDiff(path, path, before, after);
}

export type Rename = { readonly from: string; readonly to: string; readonly percent: number };

export function renameDiff({ from, to, percent }: Rename, before: DiffSide, after: DiffSide): string {
  const header = `diff --git ${quotedName(`a/${from}`)} ${quotedName(`b/${to}`)}\n`;
  const lines = `similarity index ${percent}%\nrename from ${quotedName(from)}\nrename to ${quotedName(to)}\n`;
  return header + modeLines(before.mode, after.mode) + lines + contentDiff(from, to, before, after);
}

/** Bytes that are no text would come out as others. */
export function isBinary(content: Uint8Array): boolean {
  return content.includes(0) || !isUtf8(content);
}

function isLink({ mode }: DiffSide): boolean {
  return mode === LINK_MODE;
}

function modeLines(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `new file mode ${after}\n`;
  if (after === undefined) return `deleted file mode ${before}\n`;
  return before === after ? '' : `old mode ${before}\nnew mode ${after}\n`;
}

function contentDiff(
  oldPath: string,
  newPath: string,
  before: DiffSide | undefined,
  after: DiffSide | undefined,
): string {
  const [old, fresh] = [bytesOf(before), bytesOf(after)];
  if (old.equals(fresh)) return '';
  const from = before ? quotedName(`a/${oldPath}`) : '/dev/null';
  const to = after ? quotedName(`b/${newPath}`) : '/dev/null';
  if (isBinary(old) || isBinary(fresh)) return `Binary files ${from} and ${to} differ\n`;
  const names = `--- ${from}${tabAfter(from)}\n+++ ${to}${tabAfter(to)}\n`;
  return names + hunksBetween(old.toString(), fresh.toString());
}

function bytesOf(side: DiffSide | undefined): Buffer {
  if (side === undefined) return Buffer.alloc(0);
  return Buffer.from(side.content.buffer, side.content.byteOffset, side.content.byteLength);
}

/** A name with spaces is ended by a tab, or a reader would not know where it ends. */
function tabAfter(name: string): string {
  return name.includes(' ') ? '\t' : '';
}
