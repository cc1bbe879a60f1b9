/**
 * Something held open, so that it stays the same thing while names around it change. What is asked about it is asked of
 * the descriptor; a name is only ever the answer, and is compared with the descriptor once more.
 */
import fs from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import type { AbsolutePath } from '../core/paths.js';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
/** Linux only, and not among Node's constants: opens a place, not its content, so no device notices. */
const O_PATH = 0o10000000;

export interface Anchor {
  readonly stats: Stats;
  /** Leads to this very thing, or to something in it when a name is added. */
  readonly path: string;
  /** What it is called now, for a message. */
  name(): Promise<string>;
  /** Where it is now; throws `Moved` when that cannot be told. */
  whereabouts(): Promise<Whereabouts>;
  close(): Promise<void>;
}

export type Whereabouts = {
  readonly path: AbsolutePath;
  /** The thing itself and every folder above it: whatever name they are reached by, they are the same. */
  readonly identities: readonly Identity[];
  /** The system's number for the kind of file system it is on. */
  readonly fileSystem: number;
};

export type Identity = { readonly device: number; readonly inode: number };

/** Whoever asked may try again: names changed while they were looked at. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

/** How a system tells what was opened. */
export type Anchoring = {
  readonly flags: number;
  pathOf(handle: FileHandle, openedAs: string): string | Promise<string>;
  nameOf(handle: FileHandle, path: string): Promise<string>;
};

/** The kernel's own name for a descriptor, and a path that goes through it: nothing can come between. */
export const BY_DESCRIPTOR: Anchoring = {
  flags: O_PATH,
  pathOf: (handle) => `/proc/self/fd/${handle.fd}`,
  nameOf: (handle) => fs.promises.readlink(`/proc/self/fd/${handle.fd}`),
};

/**
 * Where there is no such thing. A folder that is swapped for a link after it was compared and before its name is used
 * again, one system call later, is followed; whoever could do that has to be stopped by the sandbox of commands.
 */
export const BY_NAME: Anchoring = {
  flags: O_RDONLY | O_NONBLOCK | O_NOCTTY,
  pathOf: (_handle, openedAs) => fs.promises.realpath(openedAs),
  nameOf: (_handle, name) => fs.promises.realpath(name),
};

export async function openAnchor(anchoring: Anchoring, openedAs: string, flags = 0): Promise<Anchor> {
  const handle = await fs.promises.open(openedAs, anchoring.flags | flags);
  try {
    const at = await anchoring.pathOf(handle, openedAs);
    // Of what is open, the system knows it by heart: it takes less time than the way to another thread.
    const stats = fs.fstatSync(handle.fd);
    return {
      stats,
      path: at,
      name: () => anchoring.nameOf(handle, at),
      whereabouts: async () => locate(await anchoring.nameOf(handle, at), at, stats),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A name that does not lead back belongs to something deleted, moved on, or seen from another mount namespace. */
async function locate(name: string, at: string, stats: Stats): Promise<Whereabouts> {
  if (!path.isAbsolute(name)) throw new Moved(name);
  const [{ type }, ...identities] = await Promise.all([fs.promises.statfs(at), ...namesUpwards(name).map(identityAt)]);
  if (identities[0] === undefined || !isSame(identities[0], identityOf(stats))) throw new Moved(name);
  return { path: name as AbsolutePath, identities, fileSystem: type };
}

function namesUpwards(name: string): readonly string[] {
  const parent = path.dirname(name);
  return parent === name ? [name] : [name, ...namesUpwards(parent)];
}

async function identityAt(name: string): Promise<Identity> {
  return fs.promises.lstat(name).then(identityOf, (error: unknown) => {
    throw new Moved(name, { cause: error });
  });
}

export function identityOf(stats: Stats): Identity {
  return { device: stats.dev, inode: stats.ino };
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.device === b.device && a.inode === b.inode;
}

/** Something that has this name in a folder; `existing` where it is there. */
export function placeIn(folder: Whereabouts, name: string, existing?: Identity): Whereabouts {
  return {
    path: path.join(folder.path, name) as AbsolutePath,
    identities: existing === undefined ? folder.identities : [existing, ...folder.identities],
    fileSystem: folder.fileSystem,
  };
}
