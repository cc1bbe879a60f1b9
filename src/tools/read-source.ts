/** A file as a patch wants to know it: with its mode, and for a link what it leads to. */
import { FileProblem } from '../core/file-problem.js';
import type { Files } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { contentOf } from '../core/read-state.js';
import type { PatchSource, SourceFile } from '../patch/file-tree.js';

export async function readSource(files: Files, path: AbsolutePath): Promise<PatchSource | undefined> {
  const entry = await files.look(path);
  if (entry === undefined) return undefined;
  if (entry.kind !== 'link') return { kind: 'file', ...(await readFile(files, path)) };
  const leadsTo = await readFile(files, path).catch((error: unknown) => {
    // It leads nowhere, or to no file.
    if (error instanceof FileProblem && NO_FILE.has(error.kind)) return undefined;
    throw error;
  });
  return { kind: 'link', target: entry.target ?? '', ...(leadsTo && { leadsTo }) };
}

const NO_FILE: ReadonlySet<string> = new Set(['missing', 'folder', 'special', 'broken']);

async function readFile(files: Files, path: AbsolutePath): Promise<SourceFile> {
  const file = await files.open(path);
  try {
    return { content: await contentOf(file), mode: file.mode };
  } finally {
    await file.close();
  }
}
