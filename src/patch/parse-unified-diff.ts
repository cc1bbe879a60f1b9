/**
 * Unified diffs, with or without the headers of git. Text before and between files is skipped, as are header lines that
 * say nothing about what is to be done.
 */
import { parseUnifiedHunk } from './parse-unified-hunk.js';
import { PatchError } from './patch-error.js';
import type { FileSection, Hunk } from './patch.js';
import { readFileHeader } from './unified-file-header.js';
import type { FileHeader } from './unified-file-header.js';
import { isFileHeader } from './unified-header.js';

export function parseUnifiedDiff(given: readonly string[]): readonly FileSection[] {
  const lines = withoutCarrierReturns(given);
  const sections: FileSection[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!isFileHeader(lines, at)) {
      at += 1;
      continue;
    }
    const { section, next } = parseFile(lines, at);
    sections.push(section);
    at = next;
  }
  return sections;
}

/** When the headers too end with a carriage return, it belongs to whoever sent the text; otherwise to the lines. */
function withoutCarrierReturns(lines: readonly string[]): readonly string[] {
  const header = lines.find((_, at) => isFileHeader(lines, at));
  return header?.endsWith('\r') === true ? lines.map((line) => line.replace(/\r$/, '')) : lines;
}

function parseFile(lines: readonly string[], at: number): { readonly section: FileSection; readonly next: number } {
  const { header, next: firstHunk } = readFileHeader(lines, at);
  const hunks: Hunk[] = [];
  let next = firstHunk;
  const explicit = { endings: false };
  while (lines[next]?.startsWith('@@') === true) {
    const parsed = parseUnifiedHunk(lines, next);
    explicit.endings ||= parsed.hunk.lines.some((line) => line.ending === '\r\n');
    hunks.push(parsed.hunk);
    next = parsed.next;
  }
  const told = explicit.endings ? hunks : hunks.map(withoutEndings);
  return { section: sectionOf(header, told, lines.slice(at, next).join('\n')), next };
}

/** A diff without any carriage return does not tell how lines end: those of the file decide. */
function withoutEndings(hunk: Hunk): Hunk {
  return { ...hunk, lines: hunk.lines.map(({ mark, text }) => ({ mark, text })) };
}

function sectionOf(header: FileHeader, hunks: readonly Hunk[], text: string): FileSection {
  const mode = header.mode === undefined ? undefined : { mode: header.mode };
  if (header.kind === 'add')
    return { kind: 'add', path: header.path, isNew: true, content: addedContent(header.path, hunks), ...mode, text };
  if (header.kind === 'delete') return { kind: 'delete', path: header.path, hunks, text };
  if (hunks.length === 0 && header.to === undefined && mode === undefined) {
    throw new PatchError(`invalid patch: Update file hunk for path '${header.path}' is empty`);
  }
  return { kind: 'update', path: header.path, hunks, ...(header.to && { to: header.to }), ...mode, text };
}

function addedContent(path: string, hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.some((line) => line.mark !== '+')) {
    throw new PatchError(`invalid patch: '${path}' is a new file, so all of its lines must start with '+'`);
  }
  const isOpen = hunks.at(-1)?.finalNewline === false;
  return lines
    .map(({ text, ending }, at) => (isOpen && at === lines.length - 1 ? text : text + (ending ?? '\n')))
    .join('');
}
