/**
 * Whole outputs on disk, one private folder per runtime. Folders that nobody has written to for a week are
 * removed when a new one is made, so nothing grows for ever.
 */
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

import type { ArtifactStore } from '../core/artifacts.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Files } from '../core/files.js';
import { makeFolder } from './make-folder.js';

const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

export type ArtifactStoreOptions = {
  /** Holds one folder for each runtime. */
  readonly root: AbsolutePath;
  readonly runtimeId: string;
  /** Reads what was written. */
  readonly files: Files;
  readonly now: () => number;
};

export function createArtifactStore({ root, runtimeId, files, now }: ArtifactStoreOptions): ArtifactStore {
  const folder = path.join(root, runtimeId);
  const own = new Set<string>();

  return {
    create(label) {
      if (own.size === 0) removeStale(root, now() - KEEP_MS);
      makeFolder(folder);
      const file = path.join(folder, `${own.size + 1}-${fileName(label)}.txt`);
      // Exclusive: never through a file or link that somebody put there.
      const descriptor = openSync(file, 'wx', 0o600);
      own.add(file);
      return {
        path: file,
        write: (chunk) => writeAll(descriptor, chunk),
        close: () => closeSync(descriptor),
      };
    },
    open: (file) => (own.has(file) ? files.open(file) : undefined),
  };
}

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let done = 0; done < chunk.length;) done += writeSync(descriptor, chunk, done);
}

/** A call id comes from the model: only harmless characters of it become part of a path. */
function fileName(label: string): string {
  return label.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'output';
}

/** Best effort: a folder that cannot be looked at or removed is left alone, and the new artifact is kept anyway. */
function removeStale(root: string, before: number): void {
  for (const name of orUndefined(() => readdirSync(root)) ?? []) {
    const folder = path.join(root, name);
    const written = orUndefined(() => statSync(folder).mtimeMs);
    if (written !== undefined && written < before) orUndefined(() => rmSync(folder, { recursive: true, force: true }));
  }
}

function orUndefined<Value>(step: () => Value): Value | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
