/** The paths a profile is about, each under the name of a parameter. */
import path from 'node:path';

import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';
import { anyCasePattern } from './any-case-pattern.js';
import type { SeatbeltOptions } from './options.js';

/** One parameter, and how it is compared. */
export type Subject = {
  readonly name: string;
  readonly value: string;
  readonly match: 'literal' | 'subpath' | 'regex';
};

export type Subjects = {
  readonly writable: readonly Subject[];
  readonly own: readonly Subject[];
  /** Everything in a writable place that is not to be written. */
  readonly kept: readonly Subject[];
  readonly granted: readonly Subject[];
  /** Folders whose rename would carry something kept or hidden to a name that no rule knows. */
  readonly pinned: readonly Subject[];
  readonly hidden: readonly Subject[];
};

export function nameSubjects(resolved: ResolvedPolicy, options: SeatbeltOptions): Subjects {
  return {
    writable: named('WRITABLE', resolved.writable, byKind),
    own: named('OWN', options.ownFolder === undefined ? [] : [options.ownFolder], whole),
    // Without a writable place there is nothing to keep.
    kept: resolved.writable.length === 0 ? [] : keptSubjects(resolved),
    granted: named('GRANTED', resolved.granted, byKind),
    pinned: named('PINNED', pinnedFolders(resolved), (value) => ({ value, match: 'literal' })),
    hidden: named('HIDDEN', resolved.hidden, ({ path: value }) => whole(value)),
  };
}

export function parametersOf(subjects: Subjects): Record<string, string> {
  return Object.fromEntries(
    Object.values(subjects)
      .flat()
      .map(({ name, value }) => [name, value]),
  );
}

function keptSubjects(resolved: ResolvedPolicy): readonly Subject[] {
  return [
    ...named('PROTECTED', resolved.protected, ({ path: value }) => whole(value)),
    ...named('LINK', resolved.links, ({ path: value }) => whole(value)),
    ...named('ABSENT', resolved.absent, whole),
    // A file system that ignores case takes `.GIT` for `.git`, and of a name that is not there yet only what was typed is known.
    ...named('ABSENT_PATTERN', resolved.absent, (value) => ({ value: anyCasePattern(value), match: 'regex' })),
  ];
}

type Comparison = Omit<Subject, 'name'>;

function named<T>(prefix: string, items: readonly T[], compare: (item: T) => Comparison): readonly Subject[] {
  return items.map((item, index) => ({ name: `${prefix}_${index}`, ...compare(item) }));
}

/** What is allowed is allowed as the kind it was found to be: a file does not become a folder. */
function byKind(place: Place): Comparison {
  return { value: place.path, match: place.kind === 'folder' ? 'subpath' : 'literal' };
}

function whole(value: AbsolutePath): Comparison {
  return { value, match: 'subpath' };
}

function pinnedFolders(resolved: ResolvedPolicy): readonly AbsolutePath[] {
  const tops = [...resolved.writable, ...resolved.granted].filter(({ kind }) => kind === 'folder');
  const kept = [...resolved.protected, ...resolved.links, ...resolved.hidden].map((place) => place.path);
  return [
    ...new Set([
      ...tops.map((place) => place.path),
      ...resolved.pinned.map((place) => place.path),
      ...tops.flatMap((top) => [...kept, ...resolved.absent].flatMap((each) => foldersBetween(top.path, each))),
    ]),
  ];
}

function foldersBetween(top: AbsolutePath, below: AbsolutePath): readonly AbsolutePath[] {
  const parent = path.dirname(below) as AbsolutePath;
  return parent === below || !isInside(top, parent) ? [] : [...foldersBetween(top, parent), parent];
}
