/** Searches files one after another in this process, for where ripgrep cannot be had. */
import { Buffer } from 'node:buffer';
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { Files } from '../core/files.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { sideBySide } from '../core/side-by-side.js';
import { MAX_FOUND_BYTES } from './found.js';
import type { Found, FoundFile, SearchRequest } from './found.js';
import type { Surroundings } from './ignore-rules.js';
import { createTimeLimit } from './line-test.js';
import { searchText } from './search-text.js';
import { walk } from './walk.js';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** What has a NUL in its beginning is no text. */
const TYPE_BYTES = 64 * 1024;
const WIDTH = 8;
const MOST_LEVELS = 1_000;
const MOST_ENTRIES = 2_000_000;

export type PlainSearch = {
  readonly files: Files;
  /** What is searched: a folder, or one file in it. */
  readonly folder: AbsolutePath;
  readonly file?: string | undefined;
  readonly request: SearchRequest;
  readonly regex: RegExp;
  readonly surroundings: Surroundings | undefined;
  readonly isWanted: (path: string) => boolean;
  readonly signal: AbortSignal;
  /** Whether the time is up; what was found until then stands. */
  readonly isLate: () => boolean;
};

export async function searchPlainly(search: PlainSearch): Promise<Found> {
  const limited = createTimeLimit();
  const left = { large: 0, slow: 0, unreadable: 0, late: false, bytes: 0 };

  const searchFile = async (name: string): Promise<FoundFile | undefined> => {
    search.signal.throwIfAborted();
    left.late ||= search.isLate();
    if (left.late || left.bytes > MAX_FOUND_BYTES) return undefined;
    const text = await readText(search.files, absolutePath(path.join(search.folder, name)));
    if (text.kind !== 'text') {
      if (text.kind === 'large' || text.kind === 'unreadable') left[text.kind] += 1;
      return undefined;
    }
    const found = limited(() => searchText(text.text, search.regex, search.request));
    if (found === undefined) left.slow += 1;
    if (found === undefined || found.matches === 0) return undefined;
    for (const line of found.lines) left.bytes += line.text().length;
    return { path: name, ...found };
  };

  const names = search.file === undefined ? await namesIn(search) : [search.file];
  const found = await sideBySide(names, searchFile, WIDTH);
  const unfinished = left.late ? 'the search took too long' : 'there are too many matches';
  return {
    files: found.filter((file) => file !== undefined),
    ...((left.late || left.bytes > MAX_FOUND_BYTES) && { unfinished }),
    notes: [
      ...note(left.large, 'larger than 64 MB'),
      ...note(left.slow, 'took too long'),
      ...note(left.unreadable, 'could not be read'),
    ],
  };
}

function note(count: number, why: string): readonly string[] {
  return count === 0 ? [] : [`${count === 1 ? '1 file was' : `${count} files were`} not searched: ${why}`];
}

async function namesIn({ files, folder, surroundings, isWanted, signal }: PlainSearch): Promise<readonly string[]> {
  const names: string[] = [];
  const limits = { maxDepth: MOST_LEVELS, maxEntries: MOST_ENTRIES, signal };
  await walk({ files, root: folder, surroundings, repositories: false, ...limits }, (met) => {
    if (met.kind === 'file' && isWanted(met.path)) names.push(met.path);
    return true;
  });
  return names;
}

type Text = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'binary' | 'large' | 'unreadable' };

async function readText(files: Files, file: AbsolutePath): Promise<Text> {
  try {
    const opened = await files.open(file);
    try {
      if (opened.size > MAX_FILE_BYTES) return { kind: 'large' };
      const bytes = Buffer.alloc(opened.size);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = await opened.read(bytes.subarray(length), length);
      }
      return decode(bytes.subarray(0, length));
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof FileProblem) return { kind: 'unreadable' };
    throw error;
  }
}

function decode(bytes: Buffer): Text {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  if (wide !== undefined) return { kind: 'text', text: new TextDecoder(wide).decode(bytes) };
  const nul = bytes.indexOf(0);
  if (nul !== -1 && nul < TYPE_BYTES) return { kind: 'binary' };
  const text = bytes.toString('utf8', 0, nul === -1 ? bytes.length : nul);
  return { kind: 'text', text: text.replace(/^\ufeff/, '') };
}
