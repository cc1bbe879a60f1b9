/** What is protected inside of the writable folders: by name wherever it is found, by path, and whatever those lead to. */
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ProtectedLink } from '../policy.js';
import { followLinks, isNameable } from './follow-links.js';
import type { Followed } from './follow-links.js';
import { commonFolderOf, gitFolderNamedBy } from './git-folder.js';
import { byDepth, isStrictlyInside, outermost, placeAt } from './places.js';
import type { Found } from './scan.js';

export type Protections = {
  readonly protected: readonly Place[];
  readonly links: readonly ProtectedLink[];
  readonly absent: readonly AbsolutePath[];
};

type Sought = {
  /** The outermost writable folders. */
  readonly writable: readonly Place[];
  readonly found: readonly Found[];
  readonly sealed: readonly AbsolutePath[];
  /** Names directly in a root that are not there. */
  readonly absent: readonly AbsolutePath[];
  /** Whole paths, whether they exist or not. */
  readonly paths: readonly AbsolutePath[];
};

export function protections(sought: Sought): Protections {
  const collected = collect(sought);
  const places = outermost(collected.places.values());
  const isExposed = (file: AbsolutePath): boolean => !places.some((place) => isInside(place.path, file));
  return {
    protected: places,
    links: byDepth(collected.links.values()).filter((link) => isExposed(link.path)),
    absent: [...collected.absent].filter(isExposed),
  };
}

type Collected = {
  readonly writable: readonly Place[];
  readonly places: Map<AbsolutePath, Place>;
  readonly links: Map<AbsolutePath, ProtectedLink>;
  readonly absent: Set<AbsolutePath>;
};

function collect({ writable, found, sealed, absent, paths }: Sought): Collected {
  const collected: Collected = { writable, places: new Map(), links: new Map(), absent: new Set(absent) };
  for (const file of sealed) seal(file, collected);
  for (const name of found) protectName(name, collected);
  for (const file of paths) protectPath(file, collected);
  return collected;
}

/** A whole folder is protected when something in it has to be and cannot be named. */
function seal(folder: AbsolutePath, { writable, places }: Collected): void {
  const place = placeAt(folder);
  if (place === undefined) return;
  if (writable.some((root) => isInside(folder, root.path))) {
    throw new ConfigError(
      `the writable folder ${folder} holds a protected name behind one that is too long, not valid UTF-8 or ` +
        'not readable; rename or remove that, or name a folder below it',
    );
  }
  places.set(folder, place);
}

/** A protected name that is in a real folder. A link stays where it is, and what it leads to is protected in its place. */
function protectName({ path: file, kind }: Found, collected: Collected): void {
  const real = kind === 'link' ? protectBehind(file, collected) : protect(file, collected);
  if (real !== undefined && isGitName(file)) protectRepository(file, real, collected);
}

function isGitName(file: string): boolean {
  return path.basename(file).toLowerCase() === '.git';
}

/** A worktree or a submodule keeps its repository somewhere else, and that one shares a third one's settings. */
function protectRepository(git: AbsolutePath, real: AbsolutePath, collected: Collected): void {
  const isFolder = placeOrSeal(real, collected)?.kind === 'folder';
  const named = isFolder ? undefined : gitFolderNamedBy(real, path.dirname(git));
  const folder = named === undefined ? real : protectBehind(named, collected);
  const common = folder === undefined ? undefined : commonFolderOf(folder);
  if (common !== undefined) protectBehind(common, collected);
}

/** The whole path may lead elsewhere, and what it leads to may not be there yet. */
function protectPath(file: AbsolutePath, collected: Collected): void {
  const followed = followLinks(file);
  const { real } = followed;
  const inner = collected.writable.find((root) => isStrictlyInside(real, root.path));
  if (inner !== undefined) {
    throw new ConfigError(`the writable folder ${inner.path} lies in the protected ${file}; only one can be meant`);
  }
  const whole = collected.writable.find((root) => root.path === real);
  if (whole === undefined) protectFollowed(followed, collected);
  else collected.places.set(whole.path, whole);
}

/** The links on the way, and what is or would be at its end. Returns where that is, unless it leads nowhere. */
function protectBehind(file: string, collected: Collected): AbsolutePath | undefined {
  return protectFollowed(followLinks(file), collected);
}

function protectFollowed({ real, links, broken }: Followed, collected: Collected): AbsolutePath | undefined {
  for (const link of links) protectLink(link, collected);
  if (broken) return undefined;
  if (isNameable(real)) return protect(real, collected);
  if (isHeld(real, collected)) seal(nameableAbove(real), collected);
  return undefined;
}

function protectLink(link: ProtectedLink, collected: Collected): void {
  if (!isHeld(link.path, collected)) return;
  if (isNameable(link.target)) collected.links.set(link.path, link);
  else seal(nameableAbove(link.path), collected);
}

function protect(real: AbsolutePath, collected: Collected): AbsolutePath {
  if (!isHeld(real, collected) || collected.places.has(real)) return real;
  const place = placeOrSeal(real, collected);
  if (place !== undefined) collected.places.set(real, place);
  else collected.absent.add(real);
  return real;
}

function placeOrSeal(file: AbsolutePath, collected: Collected): Place | undefined {
  try {
    return placeAt(file);
  } catch {
    seal(absolutePath(path.dirname(file)), collected);
    return undefined;
  }
}

function isHeld(file: AbsolutePath, { writable }: Collected): boolean {
  return writable.some((root) => isStrictlyInside(root.path, file));
}

function nameableAbove(file: AbsolutePath): AbsolutePath {
  const folder = absolutePath(path.dirname(file));
  return isNameable(folder) ? folder : nameableAbove(folder);
}
