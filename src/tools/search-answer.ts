/** What a search found, as a text that fits the model's budget and says what is missing from it. */
import { Buffer } from 'node:buffer';

import { textOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { MAX_LINE_BYTES } from '../search/found.js';
import type { FoundFile, FoundLine, SearchRequest } from '../search/found.js';
import { cutText, visibleName } from '../search/visible.js';
import type { Searched } from './run-search.js';

/** Left free for the notes. */
const NOTE_BYTES = 500;

export type AnswerOptions = {
  readonly output: SearchRequest['output'];
  readonly maxResults: number;
  readonly budgetBytes: number;
};

export function answerSearch(found: Searched, options: AnswerOptions): ToolOutput {
  const notes = found.notes.slice(0, 3).map((each) => `[${cutText(Buffer.from(each), 120)}]`);
  const { files } = found;
  if (files.length === 0) return nothingFound(found, notes);
  const page = createPage(options.budgetBytes - NOTE_BYTES);
  const results = options.output === 'content' ? addContent(page, files, options) : addFiles(page, files, options);
  const { shown, total } = results;
  const kind = options.output === 'content' ? 'matching lines' : 'files';
  const rest =
    shown < total || found.unfinished !== undefined ? [moreNote({ ...results, kind }, found.unfinished)] : [];
  return textOutput([...page.lines, ...rest, ...notes].join('\n'), { details: { shown, total } });
}

function nothingFound({ ignoring, unfinished }: Searched, notes: readonly string[]): ToolOutput {
  const hint = ignoring ? ' Ignored files were not searched: include_ignored=true searches them too.' : '';
  const early = unfinished === undefined ? [] : [`[not all files were searched: ${unfinished}]`];
  return textOutput([`No matches found.${hint}`, ...early, ...notes].join('\n'), { success: false });
}

type Page = {
  readonly lines: readonly string[];
  /** False when these lines no longer fit; the first ones always do. */
  add(lines: readonly string[]): boolean;
};

function createPage(bytes: number): Page {
  const lines: string[] = [];
  let room = bytes;
  return {
    lines,
    add(more) {
      room -= more.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      if (room < 0 && lines.length > 0) return false;
      lines.push(...more);
      return true;
    },
  };
}

type Results = { readonly shown: number; readonly total: number; readonly inFiles: number };

function addFiles(page: Page, files: readonly FoundFile[], { output, maxResults }: AnswerOptions): Results {
  let shown = 0;
  for (const { path, matches } of files) {
    const line = output === 'files' ? visibleName(path) : `${visibleName(path)}: ${matches}`;
    if (shown === maxResults || !page.add([line])) break;
    shown += 1;
  }
  return { shown, total: files.length, inFiles: files.length };
}

function addContent(page: Page, files: readonly FoundFile[], { maxResults }: AnswerOptions): Results {
  const total = files.reduce((sum, { matches }) => sum + matches, 0);
  let shown = 0;
  for (const file of files) {
    let head = [...(page.lines.length > 0 ? [''] : []), visibleName(file.path)];
    for (const group of groupsOf(file.lines)) {
      const matching = group.filter((line) => line.matches).length;
      const fitting = shown + matching > maxResults ? upToMatch(group, maxResults - shown) : group;
      if (fitting.length === 0 || !page.add([...head, ...fitting.map(lineOf)]))
        return { shown, total, inFiles: files.length };
      shown += fitting.filter((line) => line.matches).length;
      head = hasGaps(file.lines) ? ['--'] : [];
    }
  }
  return { shown, total, inFiles: files.length };
}

/** A line that matches and those around it stay together, if there are any around it. */
function groupsOf(lines: readonly FoundLine[]): readonly (readonly FoundLine[])[] {
  if (!hasGaps(lines)) return lines.map((line) => [line]);
  const groups: FoundLine[][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    if (group?.at(-1)?.number === line.number - 1) group.push(line);
    else groups.push([line]);
  }
  return groups;
}

function hasGaps(lines: readonly FoundLine[]): boolean {
  return lines.some((line) => !line.matches);
}

function upToMatch(lines: readonly FoundLine[], matches: number): readonly FoundLine[] {
  let left = matches;
  const end = lines.findIndex((line) => line.matches && (left -= 1) < 0);
  return matches <= 0 ? [] : lines.slice(0, end);
}

function lineOf({ number, matches, text }: FoundLine): string {
  return `${number}${matches ? ':' : '-'} ${cutText(text(), MAX_LINE_BYTES)}`;
}

function moreNote({ shown, total, inFiles, kind }: Results & { readonly kind: string }, unfinished?: string): string {
  const atLeast = unfinished === undefined ? '' : 'at least ';
  const among = kind === 'files' ? '' : ` in ${atLeast}${inFiles} ${inFiles === 1 ? 'file' : 'files'}`;
  const why = unfinished === undefined ? '' : `; the search was ended early: ${unfinished}`;
  return `[${shown} of ${atLeast}${total} ${kind}${among} shown${why}: narrow the search, or raise max_results]`;
}
