/** What is in a folder, a portion at a time, so that a folder of a million names takes no more memory than a small one. */
import fs from 'node:fs';
import type { Dir } from 'node:fs';

import { FileProblem, fileProblem } from '../core/file-problem.js';
import type { ListedEntry } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { openAnchor } from './anchor.js';
import type { Access } from './guard.js';
import { kindOf } from './look-at.js';
import { mustBeReadable } from './open-file.js';

const PORTION = 1_000;

export interface FolderListing {
  /** To be read once, to the end or not. */
  portions(): AsyncGenerator<readonly ListedEntry[]>;
}

export async function listFolder({ anchoring, guard }: Access, path: AbsolutePath): Promise<FolderListing> {
  const anchor = await openAnchor(anchoring, path);
  try {
    // Pipes and sockets have no place that could be asked for.
    if (!anchor.stats.isFile() && !anchor.stats.isDirectory()) throw new FileProblem('not-folder', path);
    if (guard !== undefined) await mustBeReadable(guard, anchor, path);
    if (!anchor.stats.isDirectory()) throw new FileProblem('not-folder', path);
    const folder = await fs.promises.opendir(anchor.path, { bufferSize: PORTION });
    return { portions: () => portionsOf(folder, path) };
  } finally {
    await anchor.close();
  }
}

async function* portionsOf(folder: Dir, path: AbsolutePath): AsyncGenerator<readonly ListedEntry[]> {
  try {
    for (;;) {
      const portion = await nextPortion(folder);
      if (portion.length === 0) return;
      yield portion;
    }
  } catch (error) {
    throw fileProblem(error, path);
  } finally {
    await folder.close();
  }
}

/** The first one is waited for and brings a whole portion along; the others are there already. */
async function nextPortion(folder: Dir): Promise<readonly ListedEntry[]> {
  const portion: ListedEntry[] = [];
  for (let entry = await folder.read(); entry !== null; entry = folder.readSync()) {
    portion.push({ name: entry.name, kind: kindOf(entry) });
    if (portion.length === PORTION) break;
  }
  return portion;
}
