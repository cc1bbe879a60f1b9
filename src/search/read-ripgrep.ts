/**
 * What ripgrep printed, as what it found. Any bytes can be read: what does not fit is passed over, and so is a last line
 * that was cut off.
 *
 *   content  name NUL number (`:` for a match, `-` for a line around one) text LF
 *   count    name NUL number LF
 *   files    name NUL
 */
import type { Buffer } from 'node:buffer';

import type { FoundFile, FoundLine, SearchRequest } from './found.js';

const NUL = 0;
const LF = 10;
const CR = 13;
const DIGITS = { first: 48, last: 57 };
const MATCH_MARK = 58;
const CONTEXT_MARK = 45;

export type Printed = {
  readonly files: readonly FoundFile[];
  /** Those that match, but are not text. */
  readonly binary: readonly string[];
};

export function readRipgrep(bytes: Buffer, output: SearchRequest['output']): Printed {
  if (output === 'files') return { files: readNames(bytes), binary: [] };
  return readRecords(bytes, output);
}

function readNames(bytes: Buffer): readonly FoundFile[] {
  const files: FoundFile[] = [];
  let from = 0;
  for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, from)) {
    files.push({ path: plainPath(bytes.toString('utf8', from, end)), matches: 1, lines: [] });
    from = end + 1;
  }
  return files;
}

function readRecords(bytes: Buffer, output: 'content' | 'count'): Printed {
  const files = createFiles(bytes);
  const binary: string[] = [];
  let from = 0;
  for (let nameEnd = bytes.indexOf(NUL); nameEnd !== -1; nameEnd = bytes.indexOf(NUL, from)) {
    const end = bytes.indexOf(LF, nameEnd);
    if (end === -1) break;
    if (!files.isLatest(from, nameEnd)) {
      const { rest, found, lines } = withoutMessages(bytes.toString('utf8', from, nameEnd));
      binary.push(...found);
      files.begin(rest, behindLines(bytes, from, lines), nameEnd);
    }
    const record = readNumber(bytes, nameEnd + 1, end);
    if (record !== undefined) {
      if (output === 'count') files.count(record.number);
      else files.add(lineOf(bytes, record, end));
    }
    from = end + 1;
  }
  binary.push(...withoutMessages(bytes.toString('utf8', from)).found);
  return { files: files.done(), binary };
}

type Files = {
  /** Whether these bytes are the name of the file that was begun last. */
  isLatest(from: number, to: number): boolean;
  begin(name: string, from: number, to: number): void;
  add(line: FoundLine | undefined): void;
  count(matches: number): void;
  done(): readonly FoundFile[];
};

type FileInProgress = { readonly path: string; matches: number; readonly lines: FoundLine[] };

/** Files come one after another, so the name has to be read only when it changes. */
function createFiles(bytes: Buffer): Files {
  const files: FileInProgress[] = [];
  let latest: FileInProgress | undefined;
  let start = 0;
  let end = 0;
  return {
    isLatest: (from, to) => latest !== undefined && bytes.compare(bytes, start, end, from, to) === 0,
    begin(name, from, to) {
      [start, end] = [from, to];
      latest = { path: plainPath(name), matches: 0, lines: [] };
      files.push(latest);
    },
    add(line) {
      if (line === undefined) return;
      latest?.lines.push(line);
      if (latest && line.matches) latest.matches += 1;
    },
    count(matches) {
      if (latest) latest.matches += matches;
    },
    done: () => files.filter(({ matches }) => matches > 0),
  };
}

type NumberRead = { readonly number: number; readonly end: number };

function readNumber(bytes: Buffer, from: number, to: number): NumberRead | undefined {
  let end = from;
  let number = 0;
  for (; end < to; end += 1) {
    const byte = bytes[end] as number;
    if (byte < DIGITS.first || byte > DIGITS.last) break;
    number = number * 10 + byte - DIGITS.first;
  }
  return end === from || !Number.isSafeInteger(number) ? undefined : { number, end };
}

function lineOf(bytes: Buffer, { number, end }: NumberRead, to: number): FoundLine | undefined {
  const mark = bytes[end];
  if (mark !== MATCH_MARK && mark !== CONTEXT_MARK) return undefined;
  const last = bytes[to - 1] === CR && to - 1 > end ? to - 1 : to;
  return { number, matches: mark === MATCH_MARK, text: () => bytes.subarray(end + 1, last) };
}

const BINARY = /^(.*): (?:WARNING: stopped searching binary file after match|(binary) file matches) \(found .*\)$/;

/** What it says of a binary file stands on a line of its own, with no mark to know it by: before the next name, or last. */
function withoutMessages(name: string): {
  readonly rest: string;
  readonly found: readonly string[];
  /** How many lines were no part of the name. */
  readonly lines: number;
} {
  if (!name.includes(' (found ')) return { rest: name, found: [], lines: 0 };
  const lines = name.split('\n');
  const found: string[] = [];
  let passed = 0;
  while (lines.length > 1) {
    const [, path, matches] = BINARY.exec(lines[0] ?? '') ?? [];
    if (path === undefined) break;
    if (matches !== undefined) found.push(plainPath(path));
    lines.shift();
    passed += 1;
  }
  return { rest: lines.join('\n'), found, lines: passed };
}

/** Counted in bytes, because a name that is no UTF-8 has another length once it was read. */
function behindLines(bytes: Buffer, from: number, lines: number): number {
  let at = from;
  for (let left = lines; left > 0; left -= 1) at = bytes.indexOf(LF, at) + 1;
  return at;
}

function plainPath(printed: string): string {
  return printed.startsWith('./') ? printed.slice(2) : printed;
}
