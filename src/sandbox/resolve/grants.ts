/** Single rights on top of a policy, by the places on the disk that they open. */
import path from 'node:path';

import type { Grant } from '../../core/effects.js';
import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { NetworkPolicy, Place } from '../policy.js';
import { followLinks, isNameable } from './follow-links.js';
import { byDepth, checkText, isStrictlyInside, isWholeDisk, placeAt } from './places.js';
import type { Protections } from './protections.js';

/** What was asked for, and the place that has to be opened for it. */
export type PlacedGrant = { readonly asked: AbsolutePath; readonly access: 'read' | 'write'; readonly place: Place };

/** What does not exist yet can only be made if the nearest folder above it is open; reading it needs nothing. */
export function placeGrants(grants: readonly Grant[]): readonly PlacedGrant[] {
  return grants.flatMap((grant) => {
    if (grant.kind === 'connect') return [];
    checkText(grant.path);
    const place = grant.kind === 'write' ? nearestPlace(grant.path) : existingPlace(grant.path);
    return place === undefined ? [] : [{ asked: absolutePath(path.resolve(grant.path)), access: grant.kind, place }];
  });
}

/** A right to a folder that holds a root, or something that must stay closed, makes it one more root: its parts hold on. */
export function becomesRoot({ access, place }: PlacedGrant, inner: readonly AbsolutePath[]): boolean {
  return access === 'write' && inner.some((file) => isStrictlyInside(place.path, file));
}

/** A right to a folder around something hidden is no word about that. */
export function withoutGranted(hidden: readonly Place[], grants: readonly PlacedGrant[]): readonly Place[] {
  return hidden.filter(({ path: file }) => !grants.some(({ place }) => place.path === file));
}

/** Protection gives way to a right to that very thing, also when it is still to be made. */
export function withoutProtection(found: Protections, grants: readonly PlacedGrant[]): Protections {
  const writes = grants.filter(({ access }) => access === 'write');
  const isOpened = (file: AbsolutePath): boolean =>
    writes.some(({ asked, place }) => asked === file || place.path === file);
  const isToBeMade = (file: AbsolutePath): boolean =>
    writes.some(({ asked }) => isInside(file, followLinks(asked).real));
  return {
    protected: found.protected.filter(({ path: file }) => !isOpened(file)),
    links: found.links.filter(({ path: file }) => !isOpened(file)),
    absent: found.absent.filter((file) => !isToBeMade(file)),
  };
}

/** Inside of a writable folder only what would be closed needs a right of its own. */
export function grantedPlaces(
  grants: readonly PlacedGrant[],
  writable: readonly Place[],
  closed: readonly Place[],
): readonly Place[] {
  const isIn = (places: readonly Place[], place: Place): boolean =>
    places.some((outer) => isInside(outer.path, place.path));
  return unique(
    grants.flatMap(({ access, place }) =>
      access === 'write' && (!isIn(writable, place) || isIn(closed, place)) ? [place] : [],
    ),
  );
}

/** Whoever may write somewhere may read there. */
export function shownPlaces(grants: readonly PlacedGrant[], hidden: readonly Place[]): readonly Place[] {
  const places = grants.map(({ place }) => place);
  return unique(places.filter((place) => hidden.some((outer) => isStrictlyInside(outer.path, place.path))));
}

export function withHosts(network: NetworkPolicy, grants: readonly Grant[]): NetworkPolicy {
  if (network.kind !== 'hosts') return network;
  const hosts = grants.flatMap((grant) => (grant.kind === 'connect' ? [grant.host] : []));
  return hosts.length === 0 ? network : { ...network, allowed: [...new Set([...network.allowed, ...hosts])] };
}

function unique(places: readonly Place[]): readonly Place[] {
  return byDepth(new Map(places.map((place) => [place.path, place])).values());
}

function nearestPlace(file: AbsolutePath): Place {
  const { real, broken } = followLinks(file);
  if (broken || !isNameable(real)) throw new ConfigError(`the right to write ${file} leads nowhere; correct the path`);
  let nearest = real;
  let place = placeAt(nearest);
  while (place === undefined) {
    nearest = absolutePath(path.dirname(nearest));
    place = placeAt(nearest);
  }
  if (isWholeDisk(nearest)) {
    throw new ConfigError(`the right to write ${file} would open the whole disk; name a folder that exists`);
  }
  return place;
}

function existingPlace(file: AbsolutePath): Place | undefined {
  const { real, broken } = followLinks(file);
  return broken ? undefined : placeAt(real);
}
