/**
 * Where in a file a hunk belongs. Its lines are looked for after the hunk before, and only then before it. When they
 * occur more than once there, something has to single one place out: a line above that the hunk names (then the first
 * place after it), the end of the file, or a line number (then the nearest). Otherwise the place is not known.
 */
import { BYTE_ORDER_MARK } from './byte-text.js';
import { indexOf } from './draft.js';
import type { Draft } from './draft.js';
import { finder } from './find-lines.js';
import type { Finder } from './find-lines.js';
import type { MatchingPass } from './matching-passes.js';
import type { Hunk, HunkLine } from './patch.js';

export type Place =
  | { readonly kind: 'found'; readonly at: number; readonly pass?: MatchingPass; readonly lines: readonly HunkLine[] }
  /** `certain`: after the hunk before, so nothing better can be found elsewhere. */
  | { readonly kind: 'ambiguous'; readonly at: readonly number[]; readonly certain: boolean }
  | { readonly kind: 'missing' }
  | { readonly kind: 'no-context'; readonly context: string };

/** More places than this need not be named. */
export const MOST_PLACES = 10;

/** The hunk's texts are in bytes. */
export function placeHunk(draft: Draft, hunk: Hunk, passes: readonly MatchingPass[]): Place {
  const above = contextEnd(draft, hunk.context, passes);
  if (typeof above === 'object') return above;
  if (oldLines(hunk.lines).length === 0) {
    return { kind: 'found', at: insertionPoint(draft, hunk, above), lines: hunk.lines };
  }
  let weak: Place = { kind: 'missing' };
  for (const lines of new Set([hunk.lines, withoutBlankEnd(hunk.lines)])) {
    for (const [at, search] of searches(draft, hunk, above).entries()) {
      const place = searched(draft, lines, search, passes);
      if (place.kind === 'found' || (place.kind === 'ambiguous' && at === 0)) return place;
      if (place.kind === 'ambiguous') weak = { ...place, certain: false };
    }
  }
  return weak;
}

export function oldLines(lines: readonly HunkLine[]): readonly string[] {
  return lines.filter((line) => line.mark !== '+').map((line) => line.text);
}

/** The line after those that the hunk names, each looked for after the one before. */
function contextEnd(
  draft: Draft,
  context: readonly string[],
  passes: readonly MatchingPass[],
): number | Place | undefined {
  let end: number | undefined;
  for (const text of context) {
    const at = contextLine(draft, text, end, passes) ?? contextLine(draft, text.replace(/ @@$/, ''), end, passes);
    if (at === undefined) return { kind: 'no-context', context: text };
    end = at + 1;
  }
  return end;
}

/** The first one after the place reached so far. The first of all may also stand before it, if it is the only one. */
function contextLine(
  draft: Draft,
  text: string,
  after: number | undefined,
  passes: readonly MatchingPass[],
): number | undefined {
  const lines: readonly HunkLine[] = [{ mark: ' ', text }];
  const next = searched(draft, lines, { from: after ?? draft.cursor, choice: 'first' }, passes);
  if (next.kind === 'found') return next.at;
  if (after !== undefined) return undefined;
  const only = searched(draft, lines, { from: 0, choice: 'only' }, passes);
  return only.kind === 'found' ? only.at : undefined;
}

/** Without any line of the file around them, new lines go to the end. */
function insertionPoint(draft: Draft, hunk: Hunk, above: number | undefined): number {
  const end = draft.text.count;
  if (hunk.atEnd) return end;
  return Math.min(end, above ?? statedAt(draft, hunk) ?? end);
}

function statedAt(draft: Draft, { position }: Hunk): number | undefined {
  return position === undefined ? undefined : Math.max(0, position + draft.shift);
}

/** Empty lines after the last one may be there for looks only. Some line has to be left to find. */
function withoutBlankEnd(lines: readonly HunkLine[]): readonly HunkLine[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1]?.mark === ' ' && lines[end - 1]?.text === '') end -= 1;
  const rest = lines.slice(0, end);
  return oldLines(rest).length === 0 || end === lines.length ? lines : rest;
}

type Search = {
  readonly from: number;
  readonly choice: 'first' | 'here' | 'last' | 'nearest' | 'only';
  /** For the nearest: to which line. */
  readonly near?: number;
  /** Whether the end of the file is better than any other place. */
  readonly end?: boolean;
};

function searches(draft: Draft, hunk: Hunk, above: number | undefined): readonly Search[] {
  const end = hunk.atEnd || hunk.finalNewline !== undefined;
  if (above !== undefined) {
    const search: Search = { from: above, choice: hunk.atEnd ? 'last' : 'first', end };
    return [search, { from: above - 1, choice: 'here' }];
  }
  const near = statedAt(draft, hunk);
  const choice = hunk.atEnd ? 'last' : near === undefined ? 'only' : 'nearest';
  const starts = new Set([draft.cursor, Math.min(draft.changedTo, draft.cursor), 0]);
  return [...starts].map((from) => ({ from, choice, end, near: near ?? from }));
}

function searched(draft: Draft, lines: readonly HunkLine[], search: Search, passes: readonly MatchingPass[]): Place {
  const old = oldLines(lines);
  const wanted = draft.hasByteOrderMark ? old.map(withoutMark) : old;
  const find = (pass: MatchingPass): Finder | undefined =>
    finder(indexOf(draft, pass), wanted, isFree(draft), draft.work.effort);
  const last = draft.text.count - wanted.length;
  if (search.end === true && last >= search.from) {
    for (const pass of passes)
      if (find(pass)?.matchesAt(last) === true) return { kind: 'found', at: last, pass, lines };
  }
  for (const pass of passes) {
    const found = find(pass);
    const at = found === undefined ? [] : chosen(found, search);
    const [first] = at;
    if (first === undefined) continue;
    return at.length > 1 ? { kind: 'ambiguous', at, certain: true } : { kind: 'found', at: first, pass, lines };
  }
  return { kind: 'missing' };
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

function isFree({ removed }: Draft): (start: number, end: number) => boolean {
  return (start, end) => {
    for (let line = start; removed.size > 0 && line < end; line += 1) if (removed.has(line)) return false;
    return true;
  };
}

function chosen(found: Finder, { choice, from, near = from }: Search): readonly number[] {
  if (choice === 'here') return found.matchesAt(from) ? [from] : [];
  if (choice === 'first') return firstOf(found.from(from), 1);
  if (choice === 'last') return firstOf(found.backwards(from), 1);
  if (choice === 'nearest') return found.nearest(near, from);
  return firstOf(found.from(from), MOST_PLACES + 1);
}

function firstOf(places: Iterable<number>, most: number): readonly number[] {
  const first: number[] = [];
  for (const place of places) {
    first.push(place);
    if (first.length === most) break;
  }
  return first;
}
