/**
 * The files in which the user and the project say how work is done: the user's own, then those from the project's root
 * down to the folder of the work. Bounded, and whatever cannot be used is left out with a warning.
 */
import fs from 'node:fs';
import path from 'node:path';

import { absolutePath, isInside } from '../core/paths.js';
import { readDoc } from './read-doc.js';
import type { DocBounds, DocText } from './read-doc.js';
import { tagText } from './tag-text.js';

export type ProjectDocsOptions = {
  /** Where the work is; absolute. */
  readonly cwd: string;
  /** The project's; absolute. */
  readonly root: string;
  /** The user's own folder of settings. */
  readonly home?: string | undefined;
  /** What the project's files may have in all. 0: they are not looked for. */
  readonly maxBytes?: number | undefined;
  /** Other names, for folders that have no `AGENTS.md`. */
  readonly fallbackNames?: readonly string[] | undefined;
};

export type ProjectDocs = {
  /** Absent when nobody says anything. */
  readonly text?: string;
  /** Those that were used, in their order. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
};

const DEFAULT_DOC_BYTES = 32 * 1024;

export function readProjectDocs(options: ProjectDocsOptions): ProjectDocs {
  const { home, maxBytes = DEFAULT_DOC_BYTES, fallbackNames = [] } = options;
  const folders = foldersTo(realPath(options.cwd), realPath(options.root));
  const own = collect(home === undefined ? [] : [home], OWN_NAMES, { most: DEFAULT_DOC_BYTES });
  const names = [...OWN_NAMES, ...fallbackNames.filter(isFileName)];
  const bounds = { most: maxBytes, within: folders[0] };
  const theirs = collect(maxBytes === 0 ? [] : folders, names, bounds, own.files);
  const parts = [own.text, theirs.text].filter((part) => part !== '');
  return {
    ...(parts.length > 0 && { text: wrapped(options.cwd, parts.join('\n\n--- project-doc ---\n\n')) }),
    files: [...own.files, ...theirs.files],
    warnings: [...own.warnings, ...fallbackNames.filter((name) => !isFileName(name)).map(noName), ...theirs.warnings],
  };
}

/** Of each folder the first that is there. */
const OWN_NAMES = ['AGENTS.override.md', 'AGENTS.md'];

/** Anything else would look into other folders. */
function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
}

function noName(name: string): string {
  return `project_doc_fallback_filenames: ${JSON.stringify(name)} is not the name of a file`;
}

/** A text must not end the part of the message that is its own. */
function wrapped(cwd: string, text: string): string {
  const inside = text.replaceAll(/<\/(?=INSTRUCTIONS>)/gi, '&lt;/');
  return `# AGENTS.md instructions for ${tagText(cwd)}\n\n<INSTRUCTIONS>\n${inside}\n</INSTRUCTIONS>`;
}

/** What a folder that is gone is called does not matter: nothing is found there. */
function realPath(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

/** From the root down; only the folder itself where that is elsewhere. */
function foldersTo(cwd: string, root: string): readonly string[] {
  if (cwd === root || !isInside(absolutePath(root), absolutePath(cwd))) return [cwd];
  return [...foldersTo(path.dirname(cwd), root), cwd];
}

type Collected = { readonly text: string; readonly files: readonly string[]; readonly warnings: readonly string[] };

/** The bound is for all of them together. No file is used twice, however many links lead to it. */
function collect(
  folders: readonly string[],
  names: readonly string[],
  { most, within }: DocBounds,
  used: readonly string[] = [],
): Collected {
  const docs = new Map<string, DocText>();
  const warnings: string[] = [];
  let left = most;
  for (const folder of folders) {
    const doc = firstOf(folder, names, { most: left, within }, warnings);
    if (doc === undefined || used.includes(doc.path) || docs.has(doc.path)) continue;
    docs.set(doc.path, doc);
    left = doc.cut ? 0 : left - doc.bytes;
    if (doc.cut) warnings.push(`${doc.path} is ${doc.text === '' ? 'left out' : 'cut'}: ${boundText(most)}`);
  }
  const shown = [...docs.values()].filter(({ text }) => text !== '');
  const note = [...docs.values()].some(({ cut }) => cut) ? [`[Cut here: ${boundText(most)}.]`] : [];
  return {
    text: [...shown.map(({ text }) => text), ...note].join('\n\n'),
    files: shown.map(({ path: file }) => file),
    warnings,
  };
}

function boundText(most: number): string {
  return `no more than ${most} bytes of such files are shown`;
}

/** What cannot be used is as if it were not there, but for a warning. */
function firstOf(folder: string, names: readonly string[], bounds: DocBounds, warnings: string[]): DocText | undefined {
  for (const name of names) {
    const file = path.join(folder, name);
    const doc = readDoc(file, bounds);
    if (doc.kind === 'text') return doc;
    if (doc.kind === 'unusable') warnings.push(`${file} is not used: ${doc.why}`);
  }
  return undefined;
}
