/**
 * The hunks of one updated file in an envelope: `@@` or `@@ line above` (several of these narrow the place one after
 * the other), then lines with ` `, `-` or `+` before them, and `*** End of File` where they are the last ones.
 */
import { invalidHunk, unexpectedLine } from './patch-error.js';
import type { Hunk, HunkLine } from './patch.js';
import { NO_NEWLINE, finalNewlineOf, statedPosition } from './unified-header.js';

const END_OF_FILE = '*** End of File';

export function parseEnvelopeHunks(
  lines: readonly string[],
  from: number,
): { readonly hunks: readonly Hunk[]; readonly next: number } {
  const open: OpenHunk[] = [];
  let at = from + fileHeaderLines(lines, from);
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('***') && line.trimEnd() !== END_OF_FILE) break;
    takeLine(open, line, at);
  }
  return { hunks: open.map(closed), next: at };
}

type OpenHunk = {
  /** The number of its first line. */
  readonly from: number;
  readonly context: string[];
  position?: number;
  readonly lines: HunkLine[];
  /** Those that end without a newline. */
  readonly bare: Set<HunkLine>;
  /** How many of the last lines are empty to the point of having no mark. */
  blanks: number;
  ended: boolean;
};

/** Some write the names once more, the way a unified diff has them. */
function fileHeaderLines(lines: readonly string[], at: number): number {
  const isHeader =
    lines[at]?.startsWith('--- ') === true &&
    lines[at + 1]?.startsWith('+++ ') === true &&
    lines[at + 2]?.startsWith('@@') === true;
  return isHeader ? 2 : 0;
}

function takeLine(open: OpenHunk[], line: string, at: number): void {
  const current = open.at(-1);
  const trimmed = line.trimEnd();
  if (trimmed === '@@' || trimmed.startsWith('@@ ')) return takeHeader(open, trimmed.slice(3), at);
  if (trimmed === END_OF_FILE) {
    if (current === undefined || current.ended) throw invalidHunk(at + 1, 'Update hunk does not contain any lines');
    current.ended = true;
    return;
  }
  const between = current === undefined || current.ended;
  if (between && trimmed === '') return;
  if (current?.ended === true) throw expectedHeader(line, at);
  if (NO_NEWLINE.test(line) && current?.lines.length) {
    current.bare.add(current.lines.at(-1) as HunkLine);
    return;
  }
  const parsed = hunkLine(line);
  if (parsed === undefined) throw current?.lines.length ? expectedHeader(line, at) : unexpectedLine(at + 1, line);
  const hunk = current ?? opened(open, at);
  hunk.lines.push(parsed);
  hunk.blanks = line === '' ? hunk.blanks + 1 : 0;
}

function takeHeader(open: OpenHunk[], text: string, at: number): void {
  const last = open.at(-1);
  const hunk = last !== undefined && last.lines.length === 0 && !last.ended ? last : opened(open, at);
  const stated = statedPosition(`@@ ${text}`);
  if (stated !== undefined) hunk.position = stated;
  else if (text !== '' && text !== '...' && text !== '... @@') hunk.context.push(text);
}

function opened(open: OpenHunk[], at: number): OpenHunk {
  const hunk: OpenHunk = { from: at + 1, context: [], lines: [], bare: new Set(), blanks: 0, ended: false };
  open.push(hunk);
  return hunk;
}

function hunkLine(line: string): HunkLine | undefined {
  const mark = line[0];
  if (mark === ' ' || mark === '+' || mark === '-') return { mark, text: line.slice(1) };
  return line.trim() === '' ? { mark: ' ', text: line } : undefined;
}

function expectedHeader(line: string, at: number): Error {
  return invalidHunk(at + 1, `Expected update hunk to start with a @@ context marker, got: '${line}'`);
}

function closed(hunk: OpenHunk): Hunk {
  const { from, context, position, bare, ended } = hunk;
  const lines = withoutSpace(hunk);
  if (lines.length === 0) throw invalidHunk(from + 1, 'Update hunk does not contain any lines');
  const finalNewline = finalNewlineOf(lines, bare);
  return {
    context,
    lines,
    atEnd: ended,
    ...(position !== undefined && { position }),
    ...(finalNewline !== undefined && { finalNewline }),
  };
}

/** Below lines that are only added, empty lines are space before the next part: they do not say where to add. */
function withoutSpace({ lines, blanks }: OpenHunk): readonly HunkLine[] {
  const rest = lines.slice(0, lines.length - blanks);
  return rest.length > 0 && rest.every((line) => line.mark === '+') ? rest : lines;
}
