/** One writer at a time, across processes, for what takes a few milliseconds. */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { takeDownClaim, tryToClaim } from './claims.js';
import type { ClaimPlace } from './claims.js';
import { makePrivateFolder } from './private-folder.js';

const LONGEST_WAIT_MS = 15_000;
const MOST_PAUSE_MS = 25;

/** Throws when others do not let go of the file. Its folder is made, for the user alone; the file need not be there. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const place = { folder: path.dirname(file), prefix: `.${path.basename(file)}.claim.` };
  await makePrivateFolder(place.folder);
  const claim = await claimTurn(place);
  try {
    return await work();
  } finally {
    takeDownClaim(claim);
  }
}

async function claimTurn(place: ClaimPlace): Promise<string> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const result = tryToClaim(place);
    if (result.kind === 'ours') return result.claim;
    if (Date.now() > deadline) {
      throw new Error('another process is changing it; try again when that is done');
    }
    // At random, so that two who met do not meet again.
    await pause(1 + Math.random() * MOST_PAUSE_MS);
  }
}
