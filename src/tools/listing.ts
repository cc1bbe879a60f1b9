/** The text of a listing: entries up to the model's budget, then the notes that say how to go on. */
import { Buffer } from 'node:buffer';

import type { Entry, EntryKind } from '../core/files.js';
import type { Met, WalkEnd } from '../search/walk.js';
import { visibleName } from '../search/visible.js';

/** Left free for the notes. */
const NOTE_BYTES = 500;

const SUFFIXES: Readonly<Record<EntryKind, string>> = { file: '', folder: '/', link: '@', other: '?' };

export type ListingOptions = {
  readonly folder: string;
  readonly budgetBytes: number;
  /** Names below the folder they are in, instead of whole paths. */
  readonly asTree: boolean;
  readonly details: boolean;
};

type Rest = {
  /** Whether entries follow, and the number of the first one. */
  readonly more: boolean;
  readonly next: number;
  readonly end: WalkEnd;
};

export type Listing = {
  /** False when the entry no longer fits; the first one always does. */
  add(met: Met, look: Entry | undefined): boolean;
  finish(rest: Rest): string;
};

export function createListing({ folder, budgetBytes, asTree, details }: ListingOptions): Listing {
  const head = `Absolute path: ${folder}`;
  const lines: string[] = [];
  let shown = 0;
  let room = budgetBytes - NOTE_BYTES - Buffer.byteLength(head);
  return {
    add(met, look) {
      const added = [
        ...(asTree && shown === 0 && met.depth > 0 ? [`[in ${visibleName(parentOf(met.path))}]`] : []),
        lineOf(met, look, asTree) + (details ? detailsOf(met.kind, look) : ''),
      ];
      room -= added.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
      if (room < 0 && shown > 0) return false;
      lines.push(...added);
      shown += 1;
      return true;
    },
    finish: ({ more, next, end }) => [head, ...lines, ...notesOn(end, more, shown, next)].join('\n'),
  };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function lineOf({ path, name, kind, depth }: Met, look: Entry | undefined, asTree: boolean): string {
  const text = asTree ? '  '.repeat(depth) + visibleName(name) : visibleName(path);
  const target = look?.target === undefined ? '' : ` -> ${visibleName(look.target)}`;
  return text + SUFFIXES[kind] + target;
}

function detailsOf(kind: EntryKind, look: Entry | undefined): string {
  if (look === undefined) return '  (cannot be looked at)';
  const size = kind === 'file' ? `${look.size} bytes, ` : '';
  const mode = look.mode.toString(8).padStart(3, '0');
  const time = new Date(look.modified).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
  return `  (${size}mode ${mode}, ${time}Z)`;
}

function notesOn(
  { ignored, unreadable, tooMany, rulesLeft }: WalkEnd,
  more: boolean,
  shown: number,
  next: number,
): readonly string[] {
  const leftOut = `${ignored === 1 ? 'ignored entry is' : 'ignored entries are'} left out: include_ignored=true shows them`;
  return [
    ...(more ? [`More than ${shown} entries found: go on with offset=${next}`] : []),
    ...(tooMany ? ['[there are too many entries, and not all were looked at: list a folder further down]'] : []),
    ...(unreadable > 0 ? [`[${unreadable} ${unreadable === 1 ? 'folder' : 'folders'} could not be read]`] : []),
    ...(rulesLeft ? ['[some rules of the ignore files are not used, they are too many or take too long]'] : []),
    ...(ignored > 0 ? [`[${more ? 'at least ' : ''}${ignored} ${leftOut}]`] : []),
  ];
}
