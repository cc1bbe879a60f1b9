/** What a policy says to a place that was really found. Pure: it is told names and identities, and looks at neither. */
import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Denial } from '../../core/workspace.js';
import { isSame, placeIn } from '../../files/anchor.js';
import type { Whereabouts } from '../../files/anchor.js';
import type { Guard } from '../../files/guard.js';
import type { Place, ResolvedPolicy } from '../policy.js';

const PROCFS = 0x9fa0;
/** Of the system as a whole. All else there is about processes, this one with its secrets among them, or can be written. */
const HARMLESS_IN_PROC: ReadonlySet<string> = new Set(
  ['cpuinfo', 'diskstats', 'filesystems', 'loadavg', 'meminfo', 'stat', 'swaps', 'uptime', 'version', 'vmstat'].map(
    (name) => `/proc/${name}`,
  ),
);

export function policyGuard(policy: ResolvedPolicy, report: (denial: Denial) => void): Guard {
  return {
    hides: (path) => policy.hidden.some((place) => isInside(place.path, path)),
    mayRead: (found) => !isHidden(policy, found) && (found.fileSystem !== PROCFS || HARMLESS_IN_PROC.has(found.path)),
    mayWrite: (folder, name, existing) => mayWrite(policy, placeIn(folder, name, existing)),
    mayFollow: (link) => !policy.links.some(({ path }) => path === link.path),
    stopped: (kind, target) => report({ kind, target, proof: 'broker' }),
  };
}

/** By name, and by what it is: another name for a hidden file, or another way to a hidden folder, is no way around. */
function isHidden(policy: ResolvedPolicy, found: Whereabouts): boolean {
  return policy.hidden.some((place) => isPartOf(place, found));
}

function mayWrite(policy: ResolvedPolicy, target: Whereabouts): boolean {
  if (isHidden(policy, target) || target.fileSystem === PROCFS) return false;
  if (policy.granted.some((place) => isHeldBy(place, target))) return true;
  return policy.writable.some((place) => isHeldBy(place, target)) && !isKept(policy, target);
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

/**
 * A protected link stays as it is: what it leads to has a place of its own in the policy. A folder that may be written to
 * is not itself to be removed or replaced.
 */
function isKept(policy: ResolvedPolicy, target: Whereabouts): boolean {
  return (
    policy.writable.some((place) => place.kind === 'folder' && place.path === target.path) ||
    policy.protected.some((place) => isPartOf(place, target)) ||
    policy.links.some((link) => isInside(link.path, target.path)) ||
    policy.absent.some((each) => isInsideInAnyCase(each, target.path))
  );
}

/** Some file systems take `.GIT` for `.git`. */
function isInsideInAnyCase(folder: AbsolutePath, target: AbsolutePath): boolean {
  return isInside(folder.toLowerCase() as AbsolutePath, target.toLowerCase() as AbsolutePath);
}
