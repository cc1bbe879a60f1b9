/** Lists a folder, or a tree, in pages that always fit the model's budget. */
import { boolean, describe, enum as oneOf, int, minimum, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import type { Entry } from '../core/files.js';
import { textOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { sideBySide } from '../core/side-by-side.js';
import type { RunScope } from '../core/tool.js';
import { readFilePattern } from '../search/file-pattern.js';
import { surroundingsOf } from '../search/ignore-rules.js';
import { walk } from '../search/walk.js';
import type { Met, WalkEnd } from '../search/walk.js';
import { createListing } from './listing.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 2_000;
const MOST_LEVELS = 20;
const MOST_ENTRIES = 2_000_000;

const whole = (text: string) => optional(int().check(minimum(1), describe(text)));
const flag = (text: string) => optional(boolean().check(describe(text)));

const input = () =>
  object({
    path: optional(
      string().check(describe('Folder to list, relative to the workspace or absolute. Default the workspace.')),
    ),
    recursive: flag(`Also list what is in the folders below, up to ${MOST_LEVELS} levels. Default false.`),
    max_depth: whole('Levels to list; 1 is the folder itself. Implies recursive.'),
    pattern: optional(
      string().check(describe('Glob for names (*.ts), or with a slash for paths below the folder (src/**/*.ts).')),
    ),
    offset: whole('Entry to begin at, counted from 1. Default 1.'),
    limit: whole(`Most entries to show. Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}.`),
    sort: optional(
      oneOf(['name', 'size', 'modified']).check(
        describe('name (default), size (largest first) or modified (newest first).'),
      ),
    ),
    details: flag('Also show size, mode and time of the last change. Default false.'),
    include_ignored: flag('Also list what .gitignore and other ignore files leave out, and .git. Default false.'),
  });

type ListDirInput = z.infer<ReturnType<typeof input>>;

export const listDir = defineTool({
  name: 'list_dir',
  description:
    'Lists the entries of a folder: folders end with "/", links with "@", and those of folders below are indented. ' +
    'Ignored files are left out. Long lists come in pages: the answer says where to go on.',
  input,
  concurrency: 'shared',
  example: '{"path": ".", "max_depth": 2}',
  parameterAliases: { dir_path: 'path', depth: 'max_depth' },
  intent: ({ path }, { cwd }) => ({ effects: [{ kind: 'read', path: resolvePath(cwd, path ?? '.') }] }),
  present: ({ path }) => ({ title: `List ${path ?? 'the workspace'}` }),
  run: listFolder,
});

async function listFolder(request: ListDirInput, scope: RunScope): Promise<ToolOutput> {
  const folder = resolvePath(scope.workspace.cwd, request.path ?? '.');
  const page = await choosePage(folder, request, scope).catch((error: unknown) => {
    if (!(error instanceof FileProblem)) throw error;
    const words = error.kind === 'missing' ? `${folder}: no such folder` : error.message;
    throw new ToolFailure(`failed to read directory: ${words}`, { cause: error });
  });
  const offset = request.offset ?? 1;
  if (page.entries.length === 0 && offset > 1) {
    throw new ToolFailure(
      `offset exceeds directory entry count: offset is ${offset}, there are ${page.before} entries`,
    );
  }
  const wantsLook = ({ kind }: Met): boolean => request.details === true || kind === 'link';
  const looks = await sideBySide(page.entries, async (met) =>
    wantsLook(met) ? lookAt(folder, met, scope) : undefined,
  );
  const listing = createListing({
    folder,
    budgetBytes: scope.budgetBytes,
    asTree: request.pattern === undefined && (request.sort ?? 'name') === 'name',
    details: request.details ?? false,
  });
  const left = page.entries.findIndex((met, index) => !listing.add(met, looks[index]));
  const shown = left === -1 ? page.entries.length : left;
  return textOutput(listing.finish({ ...page, next: offset + shown, more: page.more || left !== -1 }), {
    details: { entries: shown, more: page.more || left !== -1 },
  });
}

/** The entries of one page, and what is known of the others. */
type Page = {
  readonly entries: readonly Met[];
  /** How many were met before the page began or the list ended. */
  readonly before: number;
  readonly more: boolean;
  readonly end: WalkEnd;
};

async function choosePage(folder: AbsolutePath, request: ListDirInput, scope: RunScope): Promise<Page> {
  const { files } = scope.workspace;
  const from = (request.offset ?? 1) - 1;
  const limit = Math.min(request.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const pattern = request.pattern === undefined ? undefined : readFilePattern(request.pattern);
  const inOrder = (request.sort ?? 'name') === 'name';
  const found: Met[] = [];
  let count = 0;
  let more = false;
  const meet = (met: Met): boolean => {
    if (pattern && !pattern.holds(met.path)) return true;
    // In the order of the names, nothing but the page has to be kept, and nothing behind it be looked at.
    if (inOrder && found.length === limit) more = true;
    else if (!inOrder || count >= from) found.push(met);
    count += 1;
    return !more;
  };
  const surroundings = request.include_ignored ? undefined : await surroundingsOf(folder, scope.workspace.cwd, files);
  const end = await walk(
    {
      files,
      root: folder,
      surroundings,
      repositories: request.include_ignored ?? false,
      maxDepth: depthOf(request),
      maxEntries: MOST_ENTRIES,
      signal: scope.signal,
    },
    meet,
  );
  if (inOrder) return { entries: found, before: count, more, end };
  const sorted = await sortedBy(request.sort === 'size' ? 'size' : 'modified', found, folder, scope);
  return { entries: sorted.slice(from, from + limit), before: count, more: sorted.length > from + limit, end };
}

function depthOf({ recursive, max_depth: maxDepth }: ListDirInput): number {
  return maxDepth ?? (recursive ? MOST_LEVELS : 1);
}

async function sortedBy(
  field: 'size' | 'modified',
  found: readonly Met[],
  folder: AbsolutePath,
  scope: RunScope,
): Promise<readonly Met[]> {
  const values = await sideBySide(found, async (met) => (await lookAt(folder, met, scope))?.[field] ?? 0);
  return found
    .map((met, index) => ({ met, value: values[index] ?? 0 }))
    .toSorted((a, b) => b.value - a.value)
    .map(({ met }) => met);
}

/** What is gone by now, or must not be looked at, is shown without a word about it. */
async function lookAt(folder: AbsolutePath, met: Met, { workspace, signal }: RunScope): Promise<Entry | undefined> {
  signal.throwIfAborted();
  try {
    return await workspace.files.look(resolvePath(folder, met.path));
  } catch (error) {
    if (error instanceof FileProblem) return undefined;
    throw error;
  }
}
