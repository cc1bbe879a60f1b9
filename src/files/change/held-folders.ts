/** The folders that a set of changes is about, each held open once, by whichever names it is reached. */
import fs from 'node:fs';

import { errorCode } from '../../core/file-problem.js';
import type { Anchor, Anchoring, Whereabouts } from '../anchor.js';
import { Moved, openAnchor } from '../anchor.js';
import { splitName } from '../split-name.js';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

export type HeldFolder = {
  readonly anchor: Anchor;
  /** The same for the same folder. */
  readonly key: string;
  /** Where it was when it was first asked. */
  readonly found: () => Promise<Whereabouts>;
};

/** A folder, or the way to it from the nearest one that is there. */
export type Spot = { readonly held: HeldFolder; readonly missing: readonly string[] };

export interface HeldFolders {
  find(folder: string): Promise<Spot>;
  /** A folder that was entered before. */
  entered(parent: HeldFolder, name: string): HeldFolder | undefined;
  /** A folder in a folder; a link is not followed. */
  enter(parent: HeldFolder, name: string): Promise<HeldFolder>;
  close(): Promise<void>;
}

export function holdFolders(anchoring: Anchoring): HeldFolders {
  const spots = new Map<string, Promise<Spot>>();
  const folders = new Map<string, HeldFolder>();
  const inside = new Map<string, HeldFolder>();

  async function hold(opening: Promise<Anchor>): Promise<HeldFolder> {
    const anchor = await opening;
    const key = `${anchor.stats.dev}:${anchor.stats.ino}`;
    const known = folders.get(key);
    if (known !== undefined) {
      await anchor.close();
      return known;
    }
    let found: Promise<Whereabouts> | undefined;
    const folder: HeldFolder = { anchor, key, found: () => (found ??= anchor.whereabouts()) };
    folders.set(key, folder);
    return folder;
  }

  function find(folder: string): Promise<Spot> {
    const spot = spots.get(folder) ?? open(folder);
    spots.set(folder, spot);
    return spot;
  }

  async function open(folder: string): Promise<Spot> {
    try {
      return { held: await hold(openAnchor(anchoring, folder, O_DIRECTORY)), missing: [] };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      const above = splitName(folder);
      // A folder that is not there has no parent to go back to.
      if (above.name === undefined) throw error;
      const { held, missing } = await find(above.folder);
      if (missing.length === 0) await mustBeMissing(`${held.anchor.path}/${above.name}`, error);
      return { held, missing: [...missing, above.name] };
    }
  }

  return {
    find,
    entered: (parent, name) => inside.get(`${parent.key}/${name}`),
    async enter(parent, name) {
      const folder = await hold(openAnchor(anchoring, `${parent.anchor.path}/${name}`, O_DIRECTORY | O_NOFOLLOW));
      inside.set(`${parent.key}/${name}`, folder);
      return folder;
    },
    async close() {
      // Nothing was written through them, so nothing can be lost now.
      await Promise.allSettled([...folders.values()].map(({ anchor }) => anchor.close()));
    },
  };
}

/** A link that leads nowhere is no folder, and is in the way of one. */
async function mustBeMissing(file: string, why: unknown): Promise<void> {
  const stats = await fs.promises.lstat(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
  if (stats?.isSymbolicLink() === true) throw why;
  if (stats !== undefined) throw new Moved(file);
}
