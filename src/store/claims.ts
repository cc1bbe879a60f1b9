/**
 * Claims on something that only one may have at a time, across processes. Whoever wants it puts up a claim, a file whose
 * name says who it is, and looks around: if nobody else has one up, it is theirs, else they take it down and try again. Two
 * can never miss each other, and the claim of a process that is gone is nobody's: it is removed without any risk to a
 * living one.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { fateOf, ownMark } from './process-mark.js';

/** Where it cannot be seen whether its owner lives: after so long without a touch it is nobody's. */
const LONGEST_UNTOUCHED_MS = 60_000;

/** The claims on one thing: the files of this folder whose names begin like this and go on with the mark of their owner. */
export type ClaimPlace = { readonly folder: string; readonly prefix: string };

/** A claim that is up, by its file; or whose claims are in the way, by their names, which are never used twice. */
export type ClaimResult =
  | { readonly kind: 'ours'; readonly claim: string }
  | { readonly kind: 'taken'; readonly others: readonly string[] };

/** One try. The folder must be there. */
export function tryToClaim(place: ClaimPlace): ClaimResult {
  const before = othersAt(place);
  if (before.length > 0) return { kind: 'taken', others: before };
  const claim = putUpClaim(place);
  try {
    const others = othersAt(place, claim);
    if (others.length === 0) return { kind: 'ours', claim };
    takeDownClaim(claim);
    return { kind: 'taken', others };
  } catch (error) {
    takeDownClaim(claim);
    throw error;
  }
}

/** Whoever else has one up: for something that nobody can know of yet. */
export function putUpClaim({ folder, prefix }: ClaimPlace): string {
  const claim = path.join(folder, `${prefix}${ownMark()}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(claim, '', { mode: 0o600, flag: 'wx' });
  return claim;
}

export function takeDownClaim(claim: string): void {
  rmSync(claim, { force: true });
}

/** The mark of who has put it up. */
export function claimant({ prefix }: ClaimPlace, name: string): string {
  return name.slice(prefix.length);
}

/** Those of the living. */
function othersAt(place: ClaimPlace, own?: string): readonly string[] {
  return readdirSync(place.folder).filter((name) => {
    const file = path.join(place.folder, name);
    if (!name.startsWith(place.prefix) || file === own) return false;
    if (isAlive(file, claimant(place, name))) return true;
    takeDownClaim(file);
    return false;
  });
}

function isAlive(claim: string, owner: string): boolean {
  const fate = fateOf(owner);
  if (fate !== 'unknown') return fate === 'running';
  const stats = statSync(claim, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < LONGEST_UNTOUCHED_MS;
}
