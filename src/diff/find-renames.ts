/** Which files that are gone are the ones that came: with the same content, or else with mostly the same lines. */
import type { FileState } from '../core/files.js';
import { isBinary } from './file-diff.js';

type Named = { readonly name: string; readonly before: FileState; readonly after: FileState };

export type FoundRename<Change = Named> = {
  readonly from: Change;
  readonly to: Change;
  readonly percent: number;
};

/** Above this, files are only compared for being the same. */
const MOST_PAIRS = 2500;
const LARGEST_COMPARED = 256 * 1024;
const LEAST_PERCENT = 50;

export function findRenames<Change extends Named>(changes: readonly Change[]): readonly FoundRename<Change>[] {
  const gone = changes.flatMap((change) => sideOf(change, change.after, change.before));
  const came = changes.flatMap((change) => sideOf(change, change.before, change.after));
  const same = sameContents(gone, came);
  const taken = new Set(same.flatMap(({ from, to }) => [from, to]));
  const isOpen = ({ change, content }: Side<Change>): boolean =>
    !taken.has(change) && content.length <= LARGEST_COMPARED && !isBinary(content);
  return [...same, ...bestFirst(alike(gone.filter(isOpen), came.filter(isOpen)))];
}

type Side<Change> = { readonly change: Change; readonly content: Buffer };

/** The content that was there on one side only. An empty file is like any other, so it says nothing. */
function sideOf<Change>(change: Change, absent: FileState, present: FileState): readonly Side<Change>[] {
  if (absent.kind !== 'absent' || present.kind !== 'file' || present.content.length === 0) return [];
  const { buffer, byteOffset, byteLength } = present.content;
  return [{ change, content: Buffer.from(buffer, byteOffset, byteLength) }];
}

function sameContents<Change>(gone: readonly Side<Change>[], came: readonly Side<Change>[]): FoundRename<Change>[] {
  const bySize = new Map<number, Side<Change>[]>();
  for (const side of gone) {
    const others = bySize.get(side.content.length);
    if (others === undefined) bySize.set(side.content.length, [side]);
    else others.push(side);
  }
  return came.flatMap(({ change, content }) => {
    const candidates = bySize.get(content.length) ?? [];
    const index = candidates.findIndex((side) => side.content.equals(content));
    return candidates.splice(index, index < 0 ? 0 : 1).map((side) => ({ from: side.change, to: change, percent: 100 }));
  });
}

function alike<Change>(gone: readonly Side<Change>[], came: readonly Side<Change>[]): readonly FoundRename<Change>[] {
  if (gone.length * came.length > MOST_PAIRS) return [];
  const targets = came.map(({ change, content }) => ({ change, size: content.length, lines: countLines(content) }));
  return gone.flatMap(({ change, content }) => {
    const lines = countLines(content);
    return targets.flatMap((target) => {
      const common = commonLength(lines, target.lines) / Math.max(content.length, target.size);
      const percent = Math.min(99, Math.floor(100 * common));
      return percent < LEAST_PERCENT ? [] : [{ from: change, to: target.change, percent }];
    });
  });
}

/** Each file takes part in one rename only. */
function bestFirst<Change>(pairs: readonly FoundRename<Change>[]): readonly FoundRename<Change>[] {
  const taken = new Set<Change>();
  return pairs
    .toSorted((one, other) => other.percent - one.percent)
    .filter(({ from, to }) => {
      if (taken.has(from) || taken.has(to)) return false;
      taken.add(from).add(to);
      return true;
    });
}

/** How often each line is there; one byte is one character, so that lengths are bytes. */
function countLines(content: Buffer): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of content.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

function commonLength(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let length = 0;
  for (const [line, count] of one) length += line.length * Math.min(count, other.get(line) ?? 0);
  return length;
}
