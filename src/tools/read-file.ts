/** Reads a text file in numbered pages that always fit the model's budget, or the block around a line. */
import { boolean, describe, enum as oneOf, int, minimum, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import { textOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { OpenFile } from '../core/files.js';
import { readBlock } from './indented-block.js';
import { readLines, sniff } from './text-lines.js';
import type { Encoding, Line, LineOptions } from './text-lines.js';

const DEFAULT_LINES = 250;
const MAX_LINES = 2_000;
const MAX_LINE_BYTES = 2_000;
/** A line shows at least this much, however small the budget. */
const MIN_LINE_BYTES = 100;
/** Left free in every page for the notes below it. */
const NOTE_BYTES = 200;

const whole = (text: string) => optional(int().check(minimum(1), describe(text)));

const input = () =>
  object({
    path: string().check(describe('File to read, relative to the workspace or absolute.')),
    start_line: whole('First line to show, counted from 1. Default 1.'),
    end_line: whole('Last line to show, inclusive.'),
    max_lines: whole(`Most lines to show. Default ${DEFAULT_LINES}, at most ${MAX_LINES}.`),
    start_column: whole('Byte of the first line to begin at, counted from 1: continues a line that was cut.'),
    mode: optional(
      oneOf(['slice', 'indentation']).check(
        describe('slice (default) shows a range; indentation shows the block around a line, by its indentation.'),
      ),
    ),
    indentation: optional(
      object({
        anchor_line: whole('Line the block is built around. Default start_line.'),
        max_levels: optional(int().check(minimum(0), describe('Enclosing levels to include; 0 (default) for all.'))),
        include_siblings: optional(
          boolean().check(describe('Also show blocks beside the one around the line. Default false.')),
        ),
        include_header: optional(boolean().check(describe('Also show comments right above the block. Default true.'))),
        max_lines: whole('Most lines of the block to show.'),
      }),
    ),
  });

type ReadFileInput = z.infer<ReturnType<typeof input>>;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Shows a text file as numbered lines ("  12| text"). Long files come in pages: the last line of an answer says ' +
    'where to go on. Use it also for outputs that were too long and are kept in a file.',
  input,
  concurrency: 'shared',
  advice: 'Read files with read_file, and of a long one the part that you need.',
  example: '{"path": "README.md", "max_lines": 5}',
  parameterAliases: { file_path: 'path', offset: 'start_line', limit: 'max_lines' },
  intent: ({ path }, workspace) => ({ effects: [{ kind: 'read', path: resolvePath(workspace.cwd, path) }] }),
  present: ({ path }) => ({ title: `Read ${path}` }),
  run: showFile,
});

async function showFile(request: ReadFileInput, scope: RunScope): Promise<ToolOutput> {
  const file = await openForReading(request.path, scope);
  try {
    const sniffed = await sniff(file);
    if (sniffed.kind === 'binary') {
      throw new ToolFailure(
        `failed to read file: ${request.path} is a binary file of ${file.size} bytes. ` +
          'Use a program that understands its format.',
      );
    }
    const options: LineOptions = {
      ...sniffed,
      firstLine: request.start_line ?? 1,
      skipBytes: (request.start_column ?? 1) - 1,
      maxLineBytes: Math.max(MIN_LINE_BYTES, Math.min(MAX_LINE_BYTES, scope.budgetBytes - 2 * NOTE_BYTES)),
      signal: scope.signal,
    };
    const page = createPage(scope.budgetBytes);
    if (request.mode === 'indentation') await fillWithBlock(page, file, request, options);
    else await fillWithSlice(page, file, request, options);
    return page.finish(sniffed.encoding);
  } finally {
    await file.close();
  }
}

async function openForReading(path: string, { workspace }: RunScope): Promise<OpenFile> {
  try {
    return await workspace.files.open(resolvePath(workspace.cwd, path));
  } catch (error) {
    if (error instanceof FileProblem) throw new ToolFailure(`failed to read file: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Numbered lines up to the model's budget, then the notes that say how to go on. */
type Page = {
  readonly size: () => number;
  /** False when the line no longer fits; the first one always does. */
  add(line: Line): boolean;
  /** Tells the model that lines follow after the last one that was added. */
  promiseMore(): void;
  finish(encoding: Encoding): ToolOutput;
};

function createPage(budgetBytes: number): Page {
  const shown: string[] = [];
  let room = budgetBytes - NOTE_BYTES;
  let last = 0;
  let more = false;
  return {
    size: () => shown.length,
    add(line) {
      const text = numbered(line) + cutNote(line);
      room -= Buffer.byteLength(text) + 1;
      if (room < 0 && shown.length > 0) return false;
      shown.push(text);
      last = line.number;
      return true;
    },
    promiseMore() {
      more = true;
    },
    finish(encoding) {
      const notes = [
        ...(shown.length === 0 ? ['[the file is empty]'] : []),
        ...(more ? [`[more lines follow: go on with start_line=${last + 1}]`] : []),
        ...(encoding === 'utf-8' ? [] : [`[encoding: ${encoding}]`]),
      ];
      return textOutput([...shown, ...notes].join('\n'), { details: { lines: shown.length, more } });
    },
  };
}

/** Ends at whatever comes first: the range, the line limit, the model's budget or the end of the file. */
async function fillWithSlice(page: Page, file: OpenFile, request: ReadFileInput, options: LineOptions): Promise<void> {
  const { firstLine } = options;
  const lastLine = request.end_line ?? Number.POSITIVE_INFINITY;
  if (lastLine < firstLine) throw new ToolFailure(`end_line ${lastLine} is before start_line ${firstLine}`);
  const limit = Math.min(request.max_lines ?? DEFAULT_LINES, MAX_LINES, lastLine - firstLine + 1);
  const source = readLines(file, options);
  for (let next = await source.next(); ; next = await source.next()) {
    if (next.done) {
      if (page.size() === 0 && firstLine > 1) throw beyondEnd('start_line', firstLine, next.value);
      return;
    }
    if (page.size() === limit || !page.add(next.value)) {
      if (next.value.number <= lastLine) page.promiseMore();
      return;
    }
  }
}

async function fillWithBlock(page: Page, file: OpenFile, request: ReadFileInput, options: LineOptions): Promise<void> {
  const { anchor_line: anchor, max_lines: maxLines, ...rules } = request.indentation ?? {};
  const limit = Math.min(request.max_lines ?? DEFAULT_LINES, maxLines ?? MAX_LINES, MAX_LINES);
  const block = await readBlock(
    file,
    { ...options, firstLine: 1, skipBytes: 0 },
    {
      anchorLine: anchor ?? options.firstLine,
      maxLevels: rules.max_levels ?? 0,
      includeSiblings: rules.include_siblings ?? false,
      includeHeader: rules.include_header ?? true,
      limit,
    },
  );
  if (block.kind === 'beyond_end') throw beyondEnd('anchor_line', anchor ?? options.firstLine, block.lines);
  if (!block.lines.every((line) => page.add(line))) page.promiseMore();
}

function beyondEnd(field: string, asked: number, lines: number): ToolFailure {
  const offset = field === 'start_line' ? 'offset' : field;
  return new ToolFailure(`${offset} exceeds file length: ${field} is ${asked}, the file has ${lines} lines`);
}

function numbered({ number, text }: Line): string {
  return `${String(number).padStart(4)}| ${text}`;
}

function cutNote({ number, restAt }: Line): string {
  return restAt === undefined ? '' : `… [line goes on: start_line=${number}, start_column=${restAt}]`;
}
