/** Reads one file of instructions, whatever may lie under its name: a link, a folder, a pipe, a film. */
import fs from 'node:fs';

import { fileProblem, FileProblem } from '../core/file-problem.js';
import { absolutePath, isInside } from '../core/paths.js';
import { firstBytes } from '../core/utf8.js';

export type Doc =
  | { readonly kind: 'absent' }
  /** `why` is for a sentence that has named the file. */
  | { readonly kind: 'unusable'; readonly why: string }
  | DocText;

export type DocText = {
  readonly kind: 'text';
  /** The real one. */
  readonly path: string;
  readonly text: string;
  /** Those that were used. */
  readonly bytes: number;
  /** Whether there are more. */
  readonly cut: boolean;
};

export type DocBounds = {
  /** Bytes to read at most; the rest is cut off. */
  readonly most: number;
  /** A real folder that the file must be in, also when it is a link. */
  readonly within?: string | undefined;
};

/** What is longer than this was not written for a model. */
const HUGE = 1024 * 1024;

export function readDoc(file: string, { most, within }: DocBounds): Doc {
  try {
    const path = fs.realpathSync.native(file);
    if (within !== undefined && !isInside(absolutePath(within), absolutePath(path))) {
      return { kind: 'unusable', why: `it leads out of the project, to ${path}` };
    }
    return readText(path, most);
  } catch (error) {
    const problem = fileProblem(error, file);
    if (!(problem instanceof FileProblem)) throw error;
    if (problem.kind === 'missing' && !isLink(file)) return { kind: 'absent' };
    return { kind: 'unusable', why: problem.words };
  }
}

/** A link that leads nowhere is somebody's mistake, and not the same as no file. */
function isLink(file: string): boolean {
  try {
    return fs.lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** A pipe is opened without waiting for whoever would write to it, and then not read. */
function readText(path: string, most: number): Doc {
  const descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile()) throw new FileProblem(stats.isDirectory() ? 'folder' : 'special', path);
    if (stats.size > Math.max(HUGE, most)) return { kind: 'unusable', why: `it has ${stats.size} bytes` };
    const read = readBytes(descriptor, Math.min(stats.size, most + 1));
    if (read.includes(0)) return { kind: 'unusable', why: 'it is not text' };
    const used = firstBytes(read, most);
    const text = new TextDecoder().decode(used).trim();
    return { kind: 'text', path, text, bytes: used.length, cut: used.length < read.length };
  } finally {
    fs.closeSync(descriptor);
  }
}

function readBytes(descriptor: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = fs.readSync(descriptor, bytes, filled, length - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
