/**
 * Writing: the folder is held open and asked where it is; the new content gets its name in that very folder, all at once.
 * Replacing the name never touches what else the old file was called: other names of it, and links that were swapped in
 * meanwhile, keep what they had. Modes and, where the system lets us, owners stay; other attributes do not.
 */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import { identityOf } from './anchor.js';
import type { Anchor } from './anchor.js';
import type { Confinement } from './confinement.js';
import { openFolder } from './open-folder.js';
import { replaceIn } from './replace-in.js';
import { mayWrite, nameIn } from './rules.js';
import { splitName } from './split-name.js';

/** As many as the kernel follows itself. */
const MOST_LINKS = 40;

export async function writeConfined(
  confinement: Confinement,
  content: Uint8Array,
  target: string = confinement.path,
  linksLeft = MOST_LINKS,
): Promise<void> {
  const { folder, name } = splitName(target);
  if (name === undefined) throw new FileProblem('folder', confinement.path);
  const anchor = await openFolder(confinement, folder);
  try {
    const existing = await lookAt(`${anchor.path}/${name}`);
    if (existing?.isSymbolicLink() !== true) return await replace(confinement, { anchor, name, existing, content });
    if (linksLeft === 0) throw new FileProblem('broken', confinement.path, 'ELOOP');
    await writeConfined(confinement, content, await followed(confinement, anchor, name), linksLeft - 1);
  } finally {
    await anchor.close();
  }
}

/** A relative link starts at the folder that is held open, whatever that is called by now. */
async function followed({ policy, deny }: Confinement, anchor: Anchor, name: string): Promise<string> {
  const found = await anchor.whereabouts();
  if (policy.links.some((link) => link.path === nameIn(found, name))) throw deny('write', nameIn(found, name));
  const text = await fs.promises.readlink(`${anchor.path}/${name}`);
  return text.startsWith('/') ? text : `${anchor.path}/${text}`;
}

type Replacement = {
  readonly anchor: Anchor;
  readonly name: string;
  readonly existing: Stats | undefined;
  readonly content: Uint8Array;
};

async function replace(confinement: Confinement, { anchor, name, existing, content }: Replacement): Promise<void> {
  const allow = async (): Promise<void> => {
    const found = await anchor.whereabouts();
    const identity = existing === undefined ? undefined : identityOf(existing);
    if (!mayWrite(confinement.policy, found, name, identity)) throw confinement.deny('write', nameIn(found, name));
  };
  if (existing?.isDirectory() === true) throw new FileProblem('folder', confinement.path);
  await allow();
  if (existing?.isFile() === false) throw new FileProblem('special', confinement.path);
  // Asked again at the last moment: a folder can be moved while it is held open.
  await replaceIn(anchor.path, { name, existing, content, beforeNaming: allow });
}

async function lookAt(file: string): Promise<Stats | undefined> {
  return fs.promises.lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}
