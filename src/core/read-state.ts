/** What is under a name, as whoever wants to change it has to know it. */
import { ToolFailure } from './errors.js';
import { FileProblem } from './file-problem.js';
import { ABSENT } from './files.js';
import type { Files, FileState, OpenFile } from './files.js';
import type { AbsolutePath } from './paths.js';

/** The state of the name itself: a link is not followed. */
export async function readState(files: Files, path: AbsolutePath): Promise<FileState> {
  const entry = await files.look(path);
  switch (entry?.kind) {
    case undefined:
      return ABSENT;
    case 'link':
      return { kind: 'link', target: entry.target ?? '' };
    case 'folder':
      return { kind: 'folder', mode: entry.mode };
    case 'file':
      return { kind: 'file', content: await readWhole(files, path), mode: entry.mode };
    case 'other':
      throw new FileProblem('special', path);
  }
}

/** All that a regular file holds; links are followed. */
export async function readWhole(files: Files, path: AbsolutePath): Promise<Buffer> {
  const file = await files.open(path);
  try {
    return await contentOf(file);
  } finally {
    await file.close();
  }
}

/** Enough for anything that is edited; what is larger is a matter for programs that need not hold it. */
const MOST_BYTES = 256 * 1024 * 1024;

export async function contentOf(file: OpenFile): Promise<Buffer> {
  if (file.size > MOST_BYTES) {
    throw new ToolFailure(
      `the file has ${file.size} bytes, and at most ${MOST_BYTES} are read as a whole. Use a command.`,
    );
  }
  // One byte more than there should be: a file that has not grown then needs no second buffer.
  let content = Buffer.allocUnsafe(file.size + 1);
  let filled = 0;
  for (;;) {
    const read = await file.read(content.subarray(filled), filled);
    if (read === 0) return content.subarray(0, filled);
    filled += read;
    if (filled === content.length) content = Buffer.concat([content], 2 * filled);
  }
}
