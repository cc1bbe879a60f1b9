/**
 * The part of the host that the guest gets, as steps that build it with mounts under the folder `stage`. All of it is
 * read-only, except for what may be written; protected inside of that is read-only again; hidden is covered. The guest has
 * its own devices, processes and run-time files, and never sees the host's.
 */
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';

export type ViewStep =
  /** Shows a tree, with all that is mounted in it, in another place too. */
  | readonly ['bind', from: string, to: string]
  /** An empty folder over what is there. */
  | readonly ['cover', folder: string]
  /** Applies to everything mounted below as well. */
  | readonly ['attributes', rights: 'read-only' | 'writable', tree: string]
  /** Goes on only if this is still what it was. */
  | readonly ['check', place: string, device: string, inode: string];

export type ViewOptions = {
  /** The folder that becomes the root. */
  readonly stage: string;
  /** An empty file, to cover others with. */
  readonly emptyFile: string;
};

/** The guest mounts its own over them. */
const GUEST_FOLDERS = ['/dev', '/proc', '/run', '/sys'] as const;

export function viewSteps(resolved: ResolvedPolicy, { stage, emptyFile }: ViewOptions): readonly ViewStep[] {
  return [
    ['bind', '/', stage],
    ...GUEST_FOLDERS.map((folder): ViewStep => ['cover', stage + folder]),
    ['attributes', 'read-only', stage],
    ...openedPlaces(resolved).flatMap((opened) => openPlace(stage, opened)),
    ...resolved.hidden.flatMap((place) => hidePlace(place, { stage, emptyFile })),
  ];
}

type OpenedPlace = Place & { readonly rights: 'read-only' | 'writable'; readonly from: 'host' | 'view' };

/** Outer ones first, or they would cover what lies in them. */
function openedPlaces(resolved: ResolvedPolicy): readonly OpenedPlace[] {
  const { writable, pinned, protected: guarded, granted } = resolved;
  const all = new Map<string, OpenedPlace>();
  const add = (places: readonly Place[], how: Pick<OpenedPlace, 'rights' | 'from'>): void => {
    for (const place of places) all.set(place.path, { ...place, ...how });
  };
  add(writable, { rights: 'writable', from: 'host' });
  // Mounted on itself, a folder cannot be renamed away.
  add(pinned, { rights: 'writable', from: 'view' });
  add(guarded, { rights: 'read-only', from: 'view' });
  add(granted, { rights: 'writable', from: 'host' });
  return [...all.values()].map(checkPlace).toSorted((a, b) => depth(a.path) - depth(b.path));
}

function checkPlace(place: OpenedPlace): OpenedPlace {
  const taken = GUEST_FOLDERS.map(absolutePath).find(
    (folder) => isInside(place.path, folder) || isInside(folder, place.path),
  );
  if (taken === undefined || place.rights === 'read-only') return place;
  throw new ConfigError(
    `a virtual machine cannot write to ${place.path}: ${taken} is its own there. Name a folder that neither holds it nor lies in it`,
  );
}

function depth(place: string): number {
  return place.split(path.posix.sep).length;
}

function openPlace(stage: string, place: OpenedPlace): readonly ViewStep[] {
  const target = stage + place.path;
  return [
    ['bind', place.from === 'host' ? place.path : target, target],
    ['attributes', place.rights, target],
    ['check', target, String(place.device), String(place.inode)],
  ];
}

function hidePlace({ path: place, kind }: Place, { stage, emptyFile }: ViewOptions): readonly ViewStep[] {
  const covered = GUEST_FOLDERS.map(absolutePath).some((folder) => isInside(folder, place));
  if (covered) return [];
  const target = stage + place;
  const cover: ViewStep = kind === 'folder' ? ['cover', target] : ['bind', emptyFile, target];
  return [cover, ['attributes', 'read-only', target]];
}
