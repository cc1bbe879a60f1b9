/**
 * From a policy in names to one in places. This is the only look at the disk, and it is taken before every command, so
 * that what earlier commands made is protected from later ones.
 */
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy, SandboxPolicy } from '../policy.js';
import {
  becomesRoot,
  grantedPlaces,
  placeGrants,
  shownPlaces,
  withHosts,
  withoutGranted,
  withoutProtection,
} from './grants.js';
import type { PlacedGrant } from './grants.js';
import { checkHidden, hiddenPlaces, onlyNeeded } from './hidden.js';
import { pinnedFolders } from './pinned.js';
import { checkText, outermost } from './places.js';
import { protections } from './protections.js';
import { createScanCache } from './scan-cache.js';
import type { ScanCache } from './scan-cache.js';
import { findProtectedNames } from './protected-names.js';
import type { Cut } from './protected-names.js';
import { realRoots } from './writable-roots.js';

export type ResolveOptions = {
  /** Roots such as the system's folder for temporary files: only their own protected names are looked for. */
  readonly shallow?: readonly AbsolutePath[];
  /** Kept from one command to the next. */
  readonly cache?: ScanCache;
  readonly maxDepth?: number;
  readonly maxEntries?: number;
  readonly platform?: NodeJS.Platform;
};

export type Resolution = {
  readonly policy: ResolvedPolicy;
  /** Parts of what is hidden that can be read all the same. Hidden and shown ones hold outermost first, the inner one wins. */
  readonly shown: readonly Place[];
  /** Writable roots that do not exist. */
  readonly missing: readonly AbsolutePath[];
  /** Roots that may hold more protected names than were found. */
  readonly cut: readonly Cut[];
  /** Rights that open another place than was asked for: a folder above what is not there yet, or what a link leads to. */
  readonly widened: readonly PlacedGrant[];
};

export async function resolvePolicy(policy: SandboxPolicy, options: ResolveOptions = {}): Promise<Resolution> {
  for (const file of policy.protectedPaths) checkText(file);
  const { roots, missing } = realRoots(policy.writableRoots, options.shallow ?? []);
  const grants = placeGrants(policy.grants);
  const closed = withoutGranted(hiddenPlaces(policy.hiddenPaths), grants);
  const shown = shownPlaces(grants, closed);
  const hidden = onlyNeeded(closed, shown);
  const inner = [...[...roots, ...hidden].map((place) => place.path), ...policy.protectedPaths];
  const widest = grants.filter((grant) => becomesRoot(grant, inner)).map(({ place }) => place);
  const writable = outermost([...roots.map(asPlace), ...widest]);
  checkHidden(hidden, writable);

  const names = findProtectedNames(roots, policy.protectedNames, { cache: createScanCache(), ...options });
  const found = protections({ ...names, writable, paths: policy.protectedPaths });
  const kept = withoutProtection(found, grants);
  const held = [...kept.protected, ...kept.links, ...hidden].map((place) => place.path);
  return {
    policy: {
      writable,
      ...kept,
      pinned: pinnedFolders(writable, kept.protected, [...held, ...kept.absent]),
      granted: grantedPlaces(grants, writable, [...found.protected, ...hidden]),
      hidden,
      network: withHosts(policy.network, policy.grants),
      unixSockets: policy.unixSockets,
      limits: policy.limits,
    },
    shown,
    missing,
    cut: names.cut,
    widened: grants.filter(({ asked, place }) => place.path !== asked),
  };
}

/** How a root is scanned is nobody else's business. */
function asPlace({ path, kind, device, inode }: Place): Place {
  return { path, kind, device, inode };
}
