/**
 * One writer at a time, across processes. Whoever wants to write puts up a claim, a file whose name says who it is, and
 * looks around: if nobody else has one up, the turn is theirs, else they take it down and try again. Two can never miss
 * each other, and the claim of a process that is gone is nobody's: it is removed without any risk to a living one.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { makePrivateFolder } from './private-folder.js';
import { fateOf, ownMark } from './process-mark.js';

const LONGEST_WAIT_MS = 15_000;
const MOST_PAUSE_MS = 25;
/** Where it cannot be seen whether it is still the owner's; a turn takes a few milliseconds. */
const LONGEST_TURN_MS = 60_000;

/** Throws when others do not let go of the file. Its folder is made, for the user alone; the file need not be there. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const folder = path.dirname(file);
  const claim = path.join(folder, `${prefixOf(file)}${ownMark()}.${randomBytes(6).toString('hex')}`);
  await makePrivateFolder(folder);
  try {
    await claimTurn(file, claim);
    return await work();
  } finally {
    await fs.rm(claim, { force: true });
  }
}

async function claimTurn(file: string, claim: string): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    if (!(await isClaimed(file, claim))) {
      await fs.writeFile(claim, '', { mode: 0o600, flag: 'wx' });
      if (!(await isClaimed(file, claim))) return;
      await fs.rm(claim, { force: true });
    }
    if (Date.now() > deadline) {
      throw new Error('another process is changing it; try again when that is done');
    }
    // At random, so that two who met do not meet again.
    await pause(1 + Math.random() * MOST_PAUSE_MS);
  }
}

/** By somebody else who is alive. */
async function isClaimed(file: string, own: string): Promise<boolean> {
  const folder = path.dirname(file);
  const prefix = prefixOf(file);
  for (const name of await fs.readdir(folder)) {
    const other = path.join(folder, name);
    if (!name.startsWith(prefix) || other === own) continue;
    if (await isAlive(other, name.slice(prefix.length))) return true;
    await fs.rm(other, { force: true });
  }
  return false;
}

async function isAlive(claim: string, owner: string): Promise<boolean> {
  const fate = fateOf(owner);
  if (fate !== 'unknown') return fate === 'running';
  const stats = await fs.stat(claim).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < LONGEST_TURN_MS;
}

function prefixOf(file: string): string {
  return `.${path.basename(file)}.claim.`;
}
