/**
 * Replaces a text that occurs once. It need not begin or end with a line, and newlines are equal however they are
 * written. Where it does not occur to the letter, its lines are looked for as those of a hunk are.
 */
import { readBytes, toByteText, writeBytes } from './byte-text.js';
import type { TreeFile } from './file-tree.js';
import { contentOf } from './file-tree.js';
import { PatchError } from './patch-error.js';
import type { FileSection, Hunk, HunkLine } from './patch.js';
import { MOST_PLACES } from './place-hunk.js';
import { readableFile } from './readable-file.js';
import { placeList } from './show-lines.js';

type Replace = Extract<FileSection, { readonly kind: 'replace' }>;

type Replacement =
  | { readonly kind: 'add'; readonly content: Uint8Array }
  | { readonly kind: 'content'; readonly content: Uint8Array }
  | { readonly kind: 'hunks'; readonly hunks: readonly Hunk[] };

export function replaceText(file: TreeFile, { original, updated }: Replace): Replacement {
  if (original === '') return whole(file, updated);
  const bytes = readBytes(contentOf(readableFile(file, 'Failed to read file to update')));
  const plain = newlineOnly(bytes);
  const wanted = toByteText(newlineOnly(original));
  const [at, ...others] = occurrences(plain, wanted);
  if (at === undefined) return { kind: 'hunks', hunks: [hunkOf(newlineOnly(original), newlineOnly(updated))] };
  if (others.length > 0) throw severalTimes(file, plain, [at, ...others]);
  const [start, end] = [placeIn(bytes, plain, at), placeIn(bytes, plain, at + wanted.length)];
  const fresh = withEndings(toByteText(newlineOnly(updated)), bytes, start, end);
  return { kind: 'content', content: writeBytes(bytes.slice(0, start) + fresh + bytes.slice(end)) };
}

function whole(file: TreeFile, updated: string): Replacement {
  const content = Buffer.from(updated);
  if (file.now === undefined && file.found.kind === 'read') return { kind: 'add', content };
  if (contentOf(readableFile(file, 'Failed to read file to update')).length === 0) return { kind: 'content', content };
  throw new PatchError(
    `Failed to add ${file.path}: it exists and is not empty. Give the text that is to be replaced as original_content.`,
  );
}

function newlineOnly(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** At most one more than need be named. */
function occurrences(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  let at = text.indexOf(wanted);
  while (at >= 0 && found.length <= MOST_PLACES) {
    found.push(at);
    at = text.indexOf(wanted, at + 1);
  }
  return found;
}

function severalTimes(file: TreeFile, text: string, found: readonly number[]): PatchError {
  const lines = found.map((at) => text.slice(0, at).split('\n').length - 1);
  return new PatchError(
    `Failed to find a unique place for original_content in ${file.path}: it occurs at lines ${placeList(lines, MOST_PLACES)}. Give more of the text around it.`,
  );
}

/** Where a place of the text with plain newlines is in the text itself. */
function placeIn(bytes: string, plain: string, at: number): number {
  if (bytes.length === plain.length) return at;
  let [place, newline] = [at, bytes.indexOf('\r\n')];
  while (newline >= 0 && newline < place) {
    place += 1;
    newline = bytes.indexOf('\r\n', newline + 2);
  }
  return place;
}

/** Each newline is written as the one whose place it takes, and further ones as the last of those or the one before. */
function withEndings(fresh: string, bytes: string, start: number, end: number): string {
  if (!bytes.includes('\r\n')) return fresh;
  const endings = bytes.slice(start, end).match(/\r?\n/g) ?? [];
  const before = bytes.lastIndexOf('\n', start - 1);
  const near = before >= 0 && start > 0 ? before : bytes.indexOf('\n');
  const last = endings.at(-1) ?? (bytes[near - 1] === '\r' ? '\r\n' : '\n');
  let next = 0;
  return fresh.replaceAll('\n', () => endings[next++] ?? last);
}

/** The same as a hunk: what both texts begin and end with stays. */
function hunkOf(original: string, updated: string): Hunk {
  const [old, fresh] = [linesOf(original), linesOf(updated)];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const lines = [
    ...marked(' ', old.slice(0, start)),
    ...marked('-', old.slice(start, old.length - end)),
    ...marked('+', fresh.slice(start, fresh.length - end)),
    ...marked(' ', old.slice(old.length - end)),
  ];
  return { context: [], lines, atEnd: false };
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function marked(mark: HunkLine['mark'], lines: readonly string[]): readonly HunkLine[] {
  return lines.map((text) => ({ mark, text }));
}
