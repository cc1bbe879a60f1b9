/** The files that a patch is about: as they were found, and as its sections so far have left them. Nothing is written. */
import { ABSENT } from '../core/files.js';
import type { FileChange, FileState } from '../core/files.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { sideBySide } from '../core/side-by-side.js';
import { draftContent } from './draft.js';
import type { Draft } from './draft.js';
import type { Patch } from './patch.js';

export type PatchSource =
  | ({ readonly kind: 'file' } & SourceFile)
  /** `leadsTo` is missing when no regular file is there. */
  | { readonly kind: 'link'; readonly target: string; readonly leadsTo?: SourceFile };

export type SourceFile = { readonly content: Uint8Array; readonly mode: number };

/** What is at a path; undefined when nothing is. May throw a `ToolFailure`. */
export type ReadSource = (path: AbsolutePath) => Promise<PatchSource | undefined>;

export type TreeFile = {
  readonly path: AbsolutePath;
  /** The path as the patch writes it. */
  readonly written: string;
  readonly found: Found;
  /** What is there now; a link stands for the file that it leads to. */
  now: FileNow | undefined;
  /** Whether the link itself was taken away. */
  linkGone: boolean;
  readonly deeds: Deed[];
};

export type FileNow = { content: Uint8Array; draft?: Draft; mode?: number | undefined };

type Deed = 'A' | 'M' | 'D' | 'moved away';

type Found =
  | { readonly kind: 'read'; readonly source: PatchSource | undefined }
  | { readonly kind: 'unreadable'; readonly error: unknown };

export type FileTree = {
  at(written: string): TreeFile;
  readonly files: Iterable<TreeFile>;
};

export async function openTree(patch: Patch, base: AbsolutePath, read: ReadSource): Promise<FileTree> {
  const written = new Map<AbsolutePath, string>();
  for (const path of mentionedPaths(patch)) {
    const absolute = resolvePath(base, path);
    if (!written.has(absolute)) written.set(absolute, path);
  }
  const opened = await sideBySide([...written], ([path, as]) => openFile(path, as, read));
  const files = new Map(opened.map((file) => [file.path, file]));
  return { at: (path) => files.get(resolvePath(base, path)) as TreeFile, files: files.values() };
}

/** One change for each path that is not as it was found. */
export function changeOf(file: TreeFile): FileChange | undefined {
  const { path, found, now } = file;
  const source = found.kind === 'read' ? found.source : undefined;
  const before = stateBefore(source, now !== undefined && !file.linkGone);
  const after: FileState =
    now === undefined
      ? ABSENT
      : { kind: 'file', content: contentOf(now), ...(now.mode !== undefined && { mode: now.mode }) };
  return isSame(before, after) ? undefined : { path, before, after };
}

export function contentOf(now: FileNow): Uint8Array {
  if (now.draft !== undefined) now.content = draftContent(now.draft);
  return now.content;
}

function mentionedPaths(patch: Patch): readonly string[] {
  return patch.sections.flatMap((section) =>
    section.kind === 'update' && section.to !== undefined ? [section.path, section.to.path] : [section.path],
  );
}

async function openFile(path: AbsolutePath, written: string, read: ReadSource): Promise<TreeFile> {
  const found = await read(path).then(
    (source): Found => ({ kind: 'read', source }),
    (error: unknown): Found => ({ kind: 'unreadable', error }),
  );
  const source = found.kind === 'read' ? found.source : undefined;
  const file = source?.kind === 'link' ? source.leadsTo : source;
  return { path, written, found, now: file && { content: file.content, mode: file.mode }, linkGone: false, deeds: [] };
}

/** A link that stays is not the subject: the file that it leads to is. */
function stateBefore(source: PatchSource | undefined, linkStays: boolean): FileState {
  if (source === undefined) return ABSENT;
  if (source.kind === 'file') return { kind: 'file', content: source.content, mode: source.mode };
  const { target, leadsTo } = source;
  return linkStays && leadsTo !== undefined ? { kind: 'file', ...leadsTo } : { kind: 'link', target };
}

function isSame(before: FileState, after: FileState): boolean {
  if (before.kind !== 'file' || after.kind !== 'file') return before.kind === after.kind && before.kind === 'absent';
  return before.mode === after.mode && Buffer.compare(before.content, after.content) === 0;
}
