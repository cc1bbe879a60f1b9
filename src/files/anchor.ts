/**
 * Something held open, so that it stays the same thing while names around it change. What is asked about it is asked of
 * the descriptor; a name is only ever the answer, and is compared with the descriptor once more.
 */
import fs from 'node:fs';
import type { Stats } from 'node:fs';
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
  pathOf(descriptor: number, openedAs: string): string;
  nameOf(descriptor: number, path: string): string | Promise<string>;
};

/** The kernel's own name for a descriptor, and a path that goes through it: nothing can come between. */
export const BY_DESCRIPTOR: Anchoring = {
  flags: O_PATH,
  pathOf: (descriptor) => `/proc/self/fd/${descriptor}`,
  nameOf: (descriptor) => fs.readlinkSync(`/proc/self/fd/${descriptor}`),
};

/**
 * Where there is no such thing. A folder that is swapped for a link after it was compared and before its name is used
 * again, one system call later, is followed; whoever could do that has to be stopped by the sandbox of commands.
 */
export const BY_NAME: Anchoring = {
  flags: O_RDONLY | O_NONBLOCK | O_NOCTTY,
  pathOf: (_descriptor, openedAs) => fs.realpathSync.native(openedAs),
  nameOf: (_descriptor, name) => fs.realpathSync.native(name),
};

/** The better one of those that this system has. */
export const ANCHORING_HERE: Anchoring = process.platform === 'linux' ? BY_DESCRIPTOR : BY_NAME;

/**
 * Nothing here waits for a disk's content, and each call by itself takes less time than the way to another thread and back,
 * so all of them are made right here.
 */
export async function openAnchor(anchoring: Anchoring, openedAs: string, flags = 0): Promise<Anchor> {
  const descriptor = fs.openSync(openedAs, anchoring.flags | flags);
  try {
    const at = anchoring.pathOf(descriptor, openedAs);
    const stats = fs.fstatSync(descriptor);
    return {
      stats,
      path: at,
      name: async () => anchoring.nameOf(descriptor, at),
      whereabouts: async () => locate(await anchoring.nameOf(descriptor, at), at, stats),
      close: async () => fs.closeSync(descriptor),
    };
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

/** A name that does not lead back belongs to something deleted, moved on, or seen from another mount namespace. */
function locate(name: string, at: string, stats: Stats): Whereabouts {
  if (!path.isAbsolute(name)) throw new Moved(name);
  const identities = namesUpwards(name).map(identityAt);
  if (identities[0] === undefined || !isSame(identities[0], identityOf(stats))) throw new Moved(name);
  return { path: name as AbsolutePath, identities, fileSystem: fs.statfsSync(at).type };
}

function namesUpwards(name: string): readonly string[] {
  const parent = path.dirname(name);
  return parent === name ? [name] : [name, ...namesUpwards(parent)];
}

function identityAt(name: string): Identity {
  try {
    return identityOf(fs.lstatSync(name));
  } catch (error) {
    throw new Moved(name, { cause: error });
  }
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
