/** One search: by ripgrep, confined like any command, or where that cannot be had, by ourselves. */
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import { readFilePattern } from '../search/file-pattern.js';
import type { FilePattern } from '../search/file-pattern.js';
import { MAX_FOUND_BYTES } from '../search/found.js';
import type { Found, FoundFile, SearchRequest } from '../search/found.js';
import { surroundingsOf } from '../search/ignore-rules.js';
import type { Surroundings } from '../search/ignore-rules.js';
import { prefixOf, splitFile } from '../search/places.js';
import { ripgrepArguments } from '../search/ripgrep-arguments.js';
import { readRipgrep } from '../search/read-ripgrep.js';
import { runQuietly } from './run-quietly.js';
import type { QuietRun } from './run-quietly.js';

const TIMEOUT_MS = 30_000;

export type Where = { readonly path: string; readonly filePattern: string; readonly includeIgnored: boolean };

export type Searched = Found & {
  /** Whether ignored files were left out. */
  readonly ignoring: boolean;
};

/** In the order of the tree, with the paths that the model would use. `most` files at the most are going to be shown. */
export async function runSearch(
  request: SearchRequest,
  where: Where & { readonly most: number },
  scope: RunScope,
): Promise<Searched> {
  const place = await findPlace(where, scope);
  const found = (await searchWithRipgrep(request, place, scope)) ?? (await searchByOurselves(request, place, scope));
  const wanted = place.file === undefined ? found.files.filter(({ path }) => place.pattern.holds(path)) : found.files;
  const prefix = prefixOf(place.folder, scope.workspace.cwd);
  const files = wanted.map(({ path, matches, lines }) => ({ path: prefix + path, matches, lines }));
  const { readable, left } = await withoutForbidden(inTreeOrder(files), where.most, scope);
  const notes =
    left === 0 ? found.notes : [...found.notes, `${left} of the files are left out: rules forbid to read them`];
  return { ...found, files: readable, notes, ignoring: place.surroundings !== undefined };
}

/** As if `/` came before all other characters, so that what is in a folder stays together. */
function inTreeOrder(files: readonly FoundFile[]): readonly FoundFile[] {
  // Texts are sorted several times as fast without a function to compare them.
  const keys = files.map(({ path }, index) => `${path.replaceAll('/', '\0')}\0${index}`);
  return keys.toSorted().map((key) => files[Number(key.slice(key.lastIndexOf('\0') + 1))] as FoundFile);
}

/** Only as many are asked about as are shown; the others are no more than counted. */
async function withoutForbidden(
  files: readonly FoundFile[],
  most: number,
  scope: RunScope,
): Promise<{ readonly readable: readonly FoundFile[]; readonly left: number }> {
  const readable: FoundFile[] = [];
  let asked = 0;
  while (asked < files.length && readable.length < most) {
    const next = files.slice(asked, asked + most - readable.length);
    const paths = next.map(({ path }) => resolvePath(scope.workspace.cwd, path));
    const free = await scope.readable(paths);
    readable.push(...next.filter((_, index) => free.has(paths[index] as AbsolutePath)));
    asked += next.length;
  }
  return { readable: [...readable, ...files.slice(asked)], left: asked - readable.length };
}

type Place = {
  readonly folder: AbsolutePath;
  /** The name of the one file in it that is searched. */
  readonly file?: string;
  readonly pattern: FilePattern;
  readonly surroundings: Surroundings | undefined;
};

async function findPlace({ path, filePattern, includeIgnored }: Where, scope: RunScope): Promise<Place> {
  const { cwd, files } = scope.workspace;
  const target = resolvePath(cwd, path);
  const pattern = readFilePattern(filePattern);
  if (await isFile(target, path, scope)) return { ...splitFile(target), pattern, surroundings: undefined };
  const surroundings = includeIgnored ? undefined : await surroundingsOf(target, cwd, files);
  return { folder: target, pattern, surroundings };
}

async function isFile(target: AbsolutePath, given: string, { workspace }: RunScope): Promise<boolean> {
  try {
    const opened = await workspace.files.open(target);
    await opened.close();
    return true;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    if (error.kind === 'folder') return false;
    const words = error.kind === 'missing' ? 'no such file or folder' : error.words;
    throw new ToolFailure(`unable to access \`${given}\`: ${words}`, { cause: error });
  }
}

/** Undefined where there is no ripgrep, or it cannot be started. */
async function searchWithRipgrep(request: SearchRequest, place: Place, scope: RunScope): Promise<Found | undefined> {
  const command = await scope.workspace.companion?.('search');
  if (command === undefined) return undefined;
  const { surroundings, pattern } = place;
  const target = place.file === undefined ? './' : `./${place.file}`;
  const argv = [
    ...command,
    ...ripgrepArguments(request, { target, surroundings, names: pattern.names, unwanted: pattern.unwanted }),
  ];
  const run = await runQuietly({ argv, cwd: place.folder, timeoutMs: TIMEOUT_MS, maxBytes: MAX_FOUND_BYTES }, scope);
  if (run.kind === 'not-run') return undefined;
  checkEnd(run, request);
  const { files, binary } = readRipgrep(run.output, request.output);
  return {
    files,
    ...(run.stopped === 'full' && { unfinished: 'there are too many matches' }),
    notes: [
      ...binary.map((path) => `${path} is a binary file, and it matches`),
      ...(run.code === FAILED ? ['some files, or ignore files, could not be read'] : []),
    ],
  };
}

const FAILED = 2;
const MESSAGE_START = 'rg: ';

/** Some other file that it could not read is also a failure, of which it says nothing. Names are printed with `./`. */
function checkEnd({ stopped, code, output }: QuietRun & { readonly kind: 'ran' }, request: SearchRequest): void {
  if (stopped === 'late') {
    throw new ToolFailure(
      `rg timed out after ${TIMEOUT_MS / 1000} seconds. Search a smaller folder (path) or fewer files (file_pattern).`,
    );
  }
  if (stopped !== undefined || code <= 1) return;
  const words = output.toString('utf8', 0, MOST_WORDS);
  if (words.startsWith(MESSAGE_START)) throw searchFailed(words.slice(MESSAGE_START.length), request);
  if (code !== FAILED) throw searchFailed(`it ended with exit code ${code}`, request);
}

const MOST_WORDS = 1_000;

function searchFailed(words: string, { literal, multiline, pattern }: SearchRequest): ToolFailure {
  // Where two engines were tried, the usual one says it best.
  const usual = /^default regex engine error:\n~+\n([^]*?)\n~+$/m.exec(words)?.[1] ?? words;
  const reason = usual.replace(/\n+Consider enabling[^]*$/, '').trimEnd();
  const advice =
    !multiline && pattern.includes('\\n')
      ? 'Send multiline=true to match over several lines.'
      : literal
        ? ''
        : 'Correct the pattern, or send literal=true to look for it as plain text.';
  return new ToolFailure(`rg failed: ${reason}\n${advice}`.trimEnd());
}

async function searchByOurselves(request: SearchRequest, place: Place, scope: RunScope): Promise<Found> {
  const [{ compilePattern }, { searchPlainly }] = await Promise.all([
    import('../search/line-test.js'),
    import('../search/plain-search.js'),
  ]);
  const compiled = compilePattern(request);
  if (compiled.kind === 'broken') throw searchFailed(`regex parse error: ${compiled.reason}`, request);
  const started = scope.now();
  return searchPlainly({
    files: scope.workspace.files,
    folder: place.folder,
    file: place.file,
    request,
    regex: compiled.regex,
    surroundings: place.surroundings,
    isWanted: (path) => place.pattern.holds(path),
    signal: scope.signal,
    isLate: () => scope.now() - started > TIMEOUT_MS,
  });
}
