/** Searches the contents of files, with ripgrep where there is one. */
import { boolean, describe, enum as oneOf, int, maximum, minimum, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import type { ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { SearchRequest } from '../search/found.js';
import { answerSearch } from './search-answer.js';
import { runSearch } from './run-search.js';

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 2_000;
const MAX_CONTEXT = 50;

/** Words that other tool sets have for the same. */
const OUTPUT_WORDS: Readonly<Record<string, string>> = { files_with_matches: 'files', matches: 'content' };

const flag = (text: string) => optional(boolean().check(describe(text)));

const input = () =>
  object({
    pattern: string().check(describe('Regular expression to look for, in the syntax of ripgrep.')),
    path: optional(
      string().check(
        describe('Folder or file to search, relative to the workspace or absolute. Default the workspace.'),
      ),
    ),
    file_pattern: optional(
      string().check(
        describe(
          'Glob for the files to search: names (*.ts), or with a slash paths below the folder (src/**/*.ts). Several with commas; ! in front leaves out.',
        ),
      ),
    ),
    case_sensitive: flag('Default true.'),
    max_results: optional(
      int().check(
        minimum(1),
        describe(
          `Most matching lines to show, or files for the other outputs. Default ${DEFAULT_RESULTS}, at most ${MAX_RESULTS}.`,
        ),
      ),
    ),
    output: optional(
      oneOf(['content', 'files', 'count']).check(
        describe('content (default) shows the lines, files only the paths, count the number of lines in each file.'),
      ),
    ),
    context: optional(
      int().check(minimum(0), maximum(MAX_CONTEXT), describe('Lines to show before and after each match. Default 0.')),
    ),
    multiline: flag('Lets a match go over several lines: \\n matches the end of a line, . does not. Default false.'),
    literal: flag('Takes the pattern as plain text. Default false.'),
    include_ignored: flag('Also search what .gitignore and other ignore files leave out. Default false.'),
  });

type GrepFilesInput = z.infer<ReturnType<typeof input>>;

export const grepFiles = defineTool({
  name: 'grep_files',
  description:
    'Searches the contents of files for a regular expression and shows the matching lines, grouped by file. ' +
    'Hidden files are searched; ignored and binary files and .git are not.',
  input,
  concurrency: 'shared',
  advice: 'Search with grep_files: it leaves out what is ignored, and its answers are bounded.',
  example: '{"pattern": "export function", "file_pattern": "*.{js,ts}"}',
  parameterAliases: { include: 'file_pattern', glob: 'file_pattern', limit: 'max_results', output_mode: 'output' },
  repair: translateOutput,
  intent: ({ path }, { cwd }) => ({ effects: [{ kind: 'read', path: resolvePath(cwd, path ?? '.') }] }),
  present: ({ pattern, path }) => ({ title: `Search ${path ?? 'the workspace'} for ${pattern}` }),
  run: grep,
});

function translateOutput(raw: JsonObject): JsonObject {
  const { output } = raw;
  const ours = typeof output === 'string' && Object.hasOwn(OUTPUT_WORDS, output) ? OUTPUT_WORDS[output] : undefined;
  return ours === undefined ? raw : { ...raw, output: ours };
}

async function grep(given: GrepFilesInput, scope: RunScope): Promise<ToolOutput> {
  if (given.pattern.trim() === '') throw new ToolFailure('pattern must not be empty');
  const request: SearchRequest = {
    pattern: given.pattern,
    output: given.output ?? 'content',
    caseSensitive: given.case_sensitive ?? true,
    literal: given.literal ?? false,
    multiline: given.multiline ?? false,
    context: given.context ?? 0,
  };
  const where = {
    path: given.path ?? '.',
    filePattern: given.file_pattern ?? '',
    includeIgnored: given.include_ignored ?? false,
    most: Math.min(given.max_results ?? DEFAULT_RESULTS, MAX_RESULTS),
  };
  return answerSearch(await runSearch(request, where, scope), {
    output: request.output,
    maxResults: where.most,
    budgetBytes: scope.budgetBytes,
  });
}
