/** Who has a session: a claim in a folder beside the sessions, kept fresh for those who cannot see whether we live. */
import { utimesSync } from 'node:fs';
import path from 'node:path';

import { putUpClaim, takeDownClaim } from '../../store/claims.js';
import type { ClaimPlace } from '../../store/claims.js';
import { makeFolder } from '../make-folder.js';

const TOUCH_EVERY_MS = 20_000;

/** Lets others have the session. */
export type Release = () => void;

/** No id has the sign that ends it here. */
export function claimPlace(folder: string, id: string): ClaimPlace {
  return { folder: path.join(folder, 'locks'), prefix: `${id}~` };
}

/** To be called before the session's file is made: whoever finds that file then finds the claim. */
export function claimNewSession(folder: string, id: string): Release {
  const place = claimPlace(folder, id);
  makeFolder(place.folder);
  return holdClaim(putUpClaim(place));
}

export function holdClaim(claim: string): Release {
  const timer = setInterval(() => touch(claim), TOUCH_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    takeDownClaim(claim);
  };
}

function touch(claim: string): void {
  const now = new Date();
  try {
    utimesSync(claim, now, now);
  } catch {
    // Taken for a dead one's, it is gone. If the session goes on elsewhere, its length tells with the next line.
  }
}
