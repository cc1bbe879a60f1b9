/** A folder on the real disk, and its files as this machine gives them: with no limits, and confined to the folder. */
import fs from 'node:fs';
import path from 'node:path';

import { FileProblem } from '../../src/core/file-problem.js';
import { ABSENT } from '../../src/core/files.js';
import type { FileChange, Files, FileState } from '../../src/core/files.js';
import type { AbsolutePath } from '../../src/core/paths.js';
import { localFiles } from '../../src/exec/local-files.js';
import { confinedFiles } from '../../src/sandbox/files/confined-files.js';
import { BY_NAME } from '../../src/files/anchor.js';
import { machineFiles } from '../../src/files/machine-files.js';
import { NOTHING_ALLOWED } from '../../src/sandbox/policy.js';
import { placeAt } from '../sandbox/files/grounds.js';
import { tempFolder } from '../support/temp-folder.js';

export const KINDS: readonly { readonly kind: string; readonly filesIn: (top: AbsolutePath) => Files }[] = [
  { kind: 'with no limits', filesIn: () => localFiles },
  { kind: 'with no limits, by name', filesIn: () => machineFiles({ anchoring: BY_NAME }) },
  {
    kind: 'confined',
    filesIn: (top) =>
      confinedFiles(
        () => Promise.resolve(policyFor(top)),
        () => {},
      ),
  },
  {
    kind: 'confined, by name',
    filesIn: (top) =>
      confinedFiles(
        () => Promise.resolve(policyFor(top)),
        () => {},
        BY_NAME,
      ),
  },
];

function policyFor(top: AbsolutePath) {
  return { ...NOTHING_ALLOWED, writable: [placeAt(top)] };
}

export function layGround(filesIn: (top: AbsolutePath) => Files = () => localFiles) {
  const top = fs.realpathSync(tempFolder()) as AbsolutePath;
  const at = (...names: string[]) => path.join(top, ...names) as AbsolutePath;
  const files = filesIn(top);
  const changesOf = (...changes: readonly Triple[]): readonly FileChange[] =>
    changes.map(([name, before, after]) => ({ path: at(name), before, after }));
  return {
    top,
    at,
    files,
    changesOf,
    /** What comes of changes, each as a name in the folder, what was seen there and what is to be there. */
    change: (...changes: readonly Triple[]) => outcome(files.change(changesOf(...changes))),
    /** All there is, each with what it holds. */
    tree: () => treeOf(top),
    lay: (entries: Readonly<Record<string, string>>) => layTree(top, entries),
  };
}

type Triple = readonly [name: string, before: FileState, after: FileState];

export { ABSENT };
export const FOLDER: FileState = { kind: 'folder' };

export function file(text: string, mode?: number): FileState {
  return { kind: 'file', content: Buffer.from(text), ...(mode !== undefined && { mode }) };
}

export function link(target: string): FileState {
  return { kind: 'link', target };
}

/** Files by their text; a name that ends in a slash is a folder; `-> x` is a link. */
function layTree(top: string, entries: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(entries)) {
    const target = path.join(top, name);
    fs.mkdirSync(name.endsWith('/') ? target : path.dirname(target), { recursive: true });
    if (text.startsWith('-> ')) fs.symlinkSync(text.slice(3), target);
    else if (!name.endsWith('/')) fs.writeFileSync(target, text);
  }
}

/** The same the other way round. Folders that hold something are not told. */
function treeOf(top: string): Readonly<Record<string, string>> {
  const entries = fs.readdirSync(top, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const full = path.join(entry.parentPath, entry.name);
    const name = path.relative(top, full);
    if (entry.isSymbolicLink()) return [[name, `-> ${fs.readlinkSync(full)}`]];
    if (entry.isDirectory()) return fs.readdirSync(full).length === 0 ? [[`${name}/`, '']] : [];
    return [[name, fs.readFileSync(full, 'utf8')]];
  });
  return Object.fromEntries(entries.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))) as Record<string, string>;
}

/** `done`, or the kind of the problem. */
export async function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof FileProblem) return error.kind;
      throw error;
    },
  );
}
