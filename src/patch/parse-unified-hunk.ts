/**
 * One hunk of a unified diff. Its header says how many lines it has, but not everyone counts well: where what follows
 * shows that the numbers are wrong, the lines decide.
 */
import { invalidHunk, unexpectedLine } from './patch-error.js';
import type { Hunk, HunkLine } from './patch.js';
import { NO_NEWLINE, finalNewlineOf, isFileHeader, statedPosition, statedRanges } from './unified-header.js';
import type { Ranges } from './unified-header.js';

/** `at` is the line of the header. */
export function parseUnifiedHunk(lines: readonly string[], at: number): { readonly hunk: Hunk; readonly next: number } {
  const header = lines[at] ?? '';
  if (header.startsWith('@@@')) throw invalidHunk(at + 1, 'a diff against several files at once cannot be applied');
  const ranges = statedRanges(header);
  const next = (ranges && endByCount(lines, at + 1, ranges)) ?? endByLook(lines, at + 1);
  const { parsed, bare } = hunkLines(lines.slice(at + 1, next));
  if (parsed.length === 0) throw invalidHunk(at + 2, 'Update hunk does not contain any lines');
  const placeless = ranges !== undefined && ranges.old > 0 && parsed.every((line) => line.mark === '+');
  if (placeless)
    throw invalidHunk(at + 1, 'the header tells of lines that are not in the hunk, so its place is not known');
  const position = statedPosition(header);
  const finalNewline = finalNewlineOf(parsed, bare);
  return {
    hunk: {
      context: ranges === undefined ? contextIn(header) : [],
      lines: parsed,
      atEnd: false,
      ...(position !== undefined && { position }),
      ...(finalNewline !== undefined && { finalNewline }),
    },
    next,
  };
}

/** The line after as many lines as the header tells, if the hunk can end there. */
function endByCount(lines: readonly string[], from: number, { old, fresh }: Ranges): number | undefined {
  let [at, oldLeft, freshLeft] = [from, old, fresh];
  for (; oldLeft > 0 || freshLeft > 0; at += 1) {
    const mark = markOf(lines[at]);
    if (mark === undefined) return undefined;
    if (mark === '\\') continue;
    if (mark !== '+') oldLeft -= 1;
    if (mark !== '-') freshLeft -= 1;
    if (oldLeft < 0 || freshLeft < 0) return undefined;
  }
  while (markOf(lines[at]) === '\\') at += 1;
  let after = at;
  while (after < lines.length && isBlank(lines[after])) after += 1;
  return endsAt(lines, after) || markOf(lines[after]) === undefined ? at : undefined;
}

/** The first line that cannot belong to the hunk. Blank lines before it are space between the parts. */
function endByLook(lines: readonly string[], from: number): number {
  let at = from;
  while (!endsAt(lines, at)) {
    if (markOf(lines[at]) === undefined) throw unexpectedLine(at + 1, lines[at] ?? '');
    at += 1;
  }
  while (at > from && isBlank(lines[at - 1])) at -= 1;
  return at;
}

function endsAt(lines: readonly string[], at: number): boolean {
  return (
    at >= lines.length || lines[at]?.startsWith('@@') === true || isFileHeader(lines, at) || isSignature(lines, at)
  );
}

/** Mailed patches end with two dashes and a version. */
function isSignature(lines: readonly string[], at: number): boolean {
  return /^-- \s*$/.test(lines[at] ?? '') && lines.length - at <= 4;
}

function isBlank(line: string | undefined): boolean {
  return line === '' || line === '\r';
}

function markOf(line: string | undefined): ' ' | '+' | '-' | '\\' | undefined {
  if (line === undefined) return undefined;
  const mark = line[0];
  if (mark === ' ' || mark === '+' || mark === '-') return mark;
  if (NO_NEWLINE.test(line)) return '\\';
  return isBlank(line) ? ' ' : undefined;
}

function hunkLines(lines: readonly string[]): {
  readonly parsed: readonly HunkLine[];
  readonly bare: ReadonlySet<HunkLine>;
} {
  const parsed: HunkLine[] = [];
  const bare = new Set<HunkLine>();
  for (const [at, line] of lines.entries()) {
    const mark = markOf(line);
    if (mark === undefined || mark === '\\') continue;
    const isBare = markOf(lines[at + 1]) === '\\';
    const returns = line.endsWith('\r') && !isBare;
    const text = line.slice(isBlank(line) ? 0 : 1, returns ? -1 : undefined);
    parsed.push({ mark, text, ending: returns ? '\r\n' : '\n' });
    if (isBare) bare.add(parsed.at(-1) as HunkLine);
  }
  return { parsed, bare };
}

/** A header without numbers may name a line above, as in the other form. */
function contextIn(header: string): readonly string[] {
  const text = header
    .replace(/^@@/, '')
    .replace(/@@\s*$/, '')
    .trim();
  return text === '' || text === '...' ? [] : [text];
}
