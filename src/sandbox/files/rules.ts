/** What a policy says to a place that was really found. Pure: it is told names and identities, and looks at neither. */
import path from 'node:path';

import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';
import { isSame } from './anchor.js';
import type { Identity, Whereabouts } from './anchor.js';

/** By name, and by what it is: another name for a hidden file, or another way to a hidden folder, is no way around. */
export function isHidden(policy: ResolvedPolicy, found: Whereabouts): boolean {
  return policy.hidden.some((place) => isPartOf(place, found));
}

/** Whether a name in a folder may be made or replaced; `existing` is what has that name now. */
export function mayWrite(policy: ResolvedPolicy, folder: Whereabouts, name: string, existing?: Identity): boolean {
  const target: Whereabouts = {
    path: nameIn(folder, name),
    identities: existing === undefined ? folder.identities : [existing, ...folder.identities],
  };
  if (isHidden(policy, target)) return false;
  if (policy.granted.some((place) => isHeldBy(place, target))) return true;
  return policy.writable.some((place) => isHeldBy(place, target)) && !isKept(policy, target);
}

export function nameIn(folder: Whereabouts, name: string): AbsolutePath {
  return path.join(folder.path, name) as AbsolutePath;
}

/** To allow, the name and the folder that was meant by it both have to be right. A file may be a new one each time. */
function isHeldBy(place: Place, found: Whereabouts): boolean {
  if (place.kind === 'file') return found.path === place.path;
  return isInside(place.path, found.path) && found.identities.some((each) => isSame(each, place));
}

/** To refuse, one of the two is enough. */
function isPartOf(place: Place, found: Whereabouts): boolean {
  return isInside(place.path, found.path) || found.identities.some((each) => isSame(each, place));
}

/** A protected link stays as it is: what it leads to has a place of its own in the policy. */
function isKept(policy: ResolvedPolicy, target: Whereabouts): boolean {
  return (
    policy.protected.some((place) => isPartOf(place, target)) ||
    policy.links.some((link) => isInside(link.path, target.path)) ||
    policy.absent.some((each) => isInsideInAnyCase(each, target.path))
  );
}

/** Some file systems take `.GIT` for `.git`. */
function isInsideInAnyCase(folder: AbsolutePath, target: AbsolutePath): boolean {
  return isInside(folder.toLowerCase() as AbsolutePath, target.toLowerCase() as AbsolutePath);
}
