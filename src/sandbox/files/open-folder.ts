/** The folder a file goes into, held open; folders that are missing are made one by one, each in one that is held open. */
import fs from 'node:fs';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import { openAnchor } from './anchor.js';
import type { Anchor } from './anchor.js';
import type { Confinement } from './confinement.js';
import { mayWrite, nameIn } from './rules.js';
import { splitName } from './split-name.js';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

export async function openFolder(confinement: Confinement, folder: string): Promise<Anchor> {
  try {
    return await openAnchor(confinement.anchoring, folder, O_DIRECTORY);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return makeFolder(confinement, folder);
  }
}

async function makeFolder(confinement: Confinement, missing: string): Promise<Anchor> {
  const { folder, name } = splitName(missing);
  // A folder that is not there has no parent to go back to.
  if (name === undefined) throw new FileProblem('missing', confinement.path);
  const parent = await openFolder(confinement, folder);
  try {
    const found = await parent.whereabouts();
    if (!mayWrite(confinement.policy, found, name)) throw confinement.deny('write', nameIn(found, name));
    await makeUnlessThere(`${parent.path}/${name}`);
    // A link here leads nowhere, or the folder would not have been missing.
    return await openAnchor(confinement.anchoring, `${parent.path}/${name}`, O_DIRECTORY | O_NOFOLLOW);
  } finally {
    await parent.close();
  }
}

async function makeUnlessThere(folder: string): Promise<void> {
  await fs.promises.mkdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}
