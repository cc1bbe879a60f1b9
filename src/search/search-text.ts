/** The lines of a text that match, with those around them. */
import { Buffer } from 'node:buffer';

import type { FoundLine, SearchRequest } from './found.js';

export type TextMatches = { readonly matches: number; readonly lines: readonly FoundLine[] };

/** `regex` is global and finds the ends of lines. */
export function searchText(text: string, regex: RegExp, { multiline, context, output }: SearchRequest): TextMatches {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const hits = multiline
    ? linesOfMatches(text, regex)
    : lines.flatMap((line, index) => (isMatch(line, regex) ? [index] : []));
  if (text === '' || hits.length === 0) return { matches: 0, lines: [] };
  const matching = new Set(hits.filter((index) => index < lines.length));
  if (output !== 'content') return { matches: matching.size, lines: [] };
  const shown = new Set<number>();
  for (const hit of matching) {
    for (let index = Math.max(0, hit - context); index <= hit + context && index < lines.length; index += 1)
      shown.add(index);
  }
  return {
    matches: matching.size,
    lines: [...shown]
      .toSorted((a, b) => a - b)
      .map((index) => ({
        number: index + 1,
        matches: matching.has(index),
        text: () => Buffer.from(lines[index] ?? ''),
      })),
  };
}

function isMatch(line: string, regex: RegExp): boolean {
  regex.lastIndex = 0;
  return regex.test(line);
}

/** A match counts for each line that it has a part of. */
function linesOfMatches(text: string, regex: RegExp): readonly number[] {
  const hits: number[] = [];
  let line = 0;
  let at = 0;
  const lineAt = (place: number): number => {
    for (let next = text.indexOf('\n', at); next !== -1 && next < place; next = text.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    return line;
  };
  for (const match of text.matchAll(regex)) {
    const first = lineAt(match.index);
    const last = lineAt(match.index + Math.max(0, match[0].length - 1));
    for (let hit = first; hit <= last; hit += 1) if (hits.at(-1) !== hit) hits.push(hit);
  }
  return hits;
}
