/** A session is for one process at a time, and for one log in it. Who wants it while it is taken is told so at once. */
import { setTimeout as pause } from 'node:timers/promises';

import { ConfigError, messageOf } from '../../core/errors.js';
import { claimant, tryToClaim } from '../../store/claims.js';
import type { ClaimPlace, ClaimResult } from '../../store/claims.js';
import { pidOf } from '../../store/process-mark.js';
import { makeFolder } from '../make-folder.js';
import { claimPlace, holdClaim } from './claim.js';
import type { Release } from './claim.js';

/** A claim that still stands at the last of them is that of an owner; who only wants the session puts up another each time. */
const LOOKS = 4;
const MOST_PAUSE_MS = 25;

export async function lockSession(folder: string, id: string): Promise<Release> {
  const place = claimPlace(folder, id);
  let standing: readonly string[] = [];
  for (let looks = 1; ; looks += 1) {
    const result = oneTry(place, id);
    if (result.kind === 'ours') return holdClaim(result.claim);
    standing = standing.filter((name) => result.others.includes(name));
    if (standing.length === 0) [looks, standing] = [1, result.others];
    if (looks === LOOKS) throw inUse(id, pidOf(claimant(place, standing[0] ?? '')));
    // At random, so that two who met do not meet again.
    await pause(1 + Math.random() * MOST_PAUSE_MS);
  }
}

function oneTry(place: ClaimPlace, id: string): ClaimResult {
  try {
    makeFolder(place.folder);
    return tryToClaim(place);
  } catch (error) {
    throw new ConfigError(`session ${id} cannot be locked: ${messageOf(error)}`, { cause: error });
  }
}

function inUse(id: string, pid: number): ConfigError {
  return new ConfigError(
    `session ${id} is in use by process ${pid}; wait until that ends, or go on in a copy: tenon fork ${id}`,
  );
}
