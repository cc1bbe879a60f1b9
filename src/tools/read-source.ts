/** A file as a patch wants to know it: with its mode, and for a link what it leads to. */
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import type { Files } from '../core/files.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { readState } from '../core/read-state.js';
import type { PatchSource, SourceFile } from '../patch/file-tree.js';

/** As many as the system follows itself. */
const MOST_LINKS = 40;

export async function readSource(files: Files, file: AbsolutePath): Promise<PatchSource | undefined> {
  const state = await readState(files, file);
  switch (state.kind) {
    case 'absent':
      return undefined;
    case 'folder':
      throw new FileProblem('folder', file);
    case 'file':
      return { kind: 'file', content: state.content, mode: state.mode ?? USUAL_MODE };
    case 'link': {
      const leadsTo = await targetOf(files, file, state.target, MOST_LINKS);
      return { kind: 'link', target: state.target, ...(leadsTo && { leadsTo }) };
    }
  }
}

const USUAL_MODE = 0o644;

async function targetOf(
  files: Files,
  link: AbsolutePath,
  target: string,
  linksLeft: number,
): Promise<SourceFile | undefined> {
  const file = absolutePath(path.resolve(path.dirname(link), target));
  const state = await readState(files, file);
  if (state.kind === 'file') return { content: state.content, mode: state.mode ?? USUAL_MODE };
  return state.kind === 'link' && linksLeft > 0 ? targetOf(files, file, state.target, linksLeft - 1) : undefined;
}
