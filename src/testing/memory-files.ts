/** Files without a disk. Folders are there because something is in them, links lead from whole names to others. */
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { Entry, FileChange, Files, FileState, ListedEntry } from '../core/files.js';

type Present = Exclude<FileState, { kind: 'absent' }>;
type Node = Present & { readonly modified: number };
type Tree = ReadonlyMap<string, Node>;

const MOST_LINKS = 40;
const USUAL_MODE = { file: 0o644, folder: 0o755, link: 0o777 } as const;

export function createMemoryFiles(contents: ReadonlyMap<string, Uint8Array>, folders: readonly string[]): Files {
  const first = new Map<string, Node>();
  for (const folder of ['/', ...folders]) put(first, { at: folder, asked: folder }, { kind: 'folder' });
  for (const [file, content] of contents) put(first, { at: file, asked: file }, { kind: 'file', content });
  let tree: Tree = first;
  return {
    async open(file) {
      const node = tree.get(followed(tree, file));
      if (node === undefined || node.kind === 'link') throw new FileProblem('missing', file);
      if (node.kind === 'folder') throw new FileProblem('folder', file);
      const content = Buffer.from(node.content);
      return {
        size: content.length,
        mode: node.mode ?? USUAL_MODE.file,
        read: async (into, position) => content.copy(into, 0, position, position + into.length),
        close: async () => {},
      };
    },
    look: async (file) => asEntry(tree.get(file)),
    async *list(folder) {
      yield entriesIn(tree, folder);
    },
    async change(changes) {
      tree = changed(tree, changes);
    },
  };
}

function followed(tree: Tree, file: string): string {
  let at = file;
  for (let left = MOST_LINKS; ; left -= 1) {
    const node = tree.get(at);
    if (node?.kind !== 'link') return at;
    if (left === 0) throw new FileProblem('broken', file, 'ELOOP');
    at = path.resolve(path.dirname(at), node.target);
  }
}

function asEntry(node: Node | undefined): Entry | undefined {
  if (node === undefined) return undefined;
  const { kind, modified } = node;
  const mode = ('mode' in node ? node.mode : undefined) ?? USUAL_MODE[kind];
  const size = node.kind === 'file' ? node.content.length : 0;
  return { kind, size, mode, modified, ...(node.kind === 'link' && { target: node.target }) };
}

function entriesIn(tree: Tree, asked: string): readonly ListedEntry[] {
  const folder = followed(tree, asked);
  const node = tree.get(folder);
  if (node === undefined) throw new FileProblem('missing', asked);
  if (node.kind !== 'folder') throw new FileProblem('not-folder', asked);
  return [...tree]
    .filter(([each]) => each !== folder && path.dirname(each) === folder)
    .map(([each, { kind }]) => ({ name: path.basename(each), kind }));
}

/** The tree with all of the changes; throws with the tree as it was. */
function changed(tree: Tree, changes: readonly FileChange[]): Tree {
  const paths = changes.map((change) => change.path);
  const twice = paths.find((each, index) => paths.indexOf(each) !== index);
  if (twice !== undefined) throw new TypeError(`a set of changes has two for one path: ${twice}`);
  const places = changes.map((change) => ({ ...change, at: placeOf(tree, change) }));
  for (const { at, before, path: asked } of places) mustBe(tree.get(at), before, asked);
  for (const { at, path: asked } of places) {
    const other = places.find((each) => each.at === at && each.path !== asked);
    if (other) throw new FileProblem('broken', asked, `it is the same file as ${other.path}`);
  }
  const next = new Map(tree);
  for (const { at, before, after } of places) if (before.kind !== after.kind) next.delete(at);
  for (const { at, after, path: asked } of places) {
    if (after.kind !== 'absent') put(next, { at, asked, before: tree.get(at) }, after);
  }
  for (const { at, before, after, path: asked } of places) {
    if (before.kind === 'folder' && after.kind !== 'folder') mustBeEmpty(next, at, asked);
  }
  return next;
}

function placeOf(tree: Tree, { path: asked, before, after }: FileChange): string {
  return before.kind === 'file' && after.kind === 'file' ? followed(tree, asked) : asked;
}

function mustBe(node: Node | undefined, before: FileState, asked: string): void {
  if (before.kind === 'absent') {
    if (node !== undefined) throw new FileProblem('in-the-way', asked);
    return;
  }
  const same =
    (before.kind === 'file' && node?.kind === 'file' && Buffer.compare(node.content, before.content) === 0) ||
    (before.kind === 'link' && node?.kind === 'link' && node.target === before.target) ||
    (before.kind === 'folder' && node?.kind === 'folder');
  if (!same) throw new FileProblem('changed', asked);
}

type Target = { readonly at: string; readonly asked: string; readonly before?: Node | undefined };

/** With the folders above it, and the mode that it had. */
function put(tree: Map<string, Node>, { at, asked, before }: Target, state: Present): void {
  for (let folder = path.dirname(at); ; folder = path.dirname(folder)) {
    const above = tree.get(folder);
    if (above !== undefined && above.kind !== 'folder') throw new FileProblem('missing', asked);
    if (above === undefined) tree.set(folder, { kind: 'folder', modified: Date.now() });
    if (folder === path.dirname(folder)) break;
  }
  if (![undefined, state.kind].includes(tree.get(at)?.kind)) throw new FileProblem('in-the-way', asked);
  const mode = before?.kind === state.kind && 'mode' in before ? before.mode : undefined;
  tree.set(at, { ...(mode !== undefined && { mode }), ...copied(state), modified: Date.now() });
}

function copied(state: Present): Present {
  return state.kind === 'file' ? { ...state, content: Buffer.from(state.content) } : state;
}

function mustBeEmpty(tree: Tree, folder: string, asked: string): void {
  if ([...tree.keys()].some((each) => each.startsWith(`${folder}/`))) {
    throw new FileProblem('broken', asked, 'the folder is not empty');
  }
}
