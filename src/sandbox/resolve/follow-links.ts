/** Follows a path link by link, so that every link on the way is known and none can be swapped unseen. */
import { readlinkSync } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { ProtectedLink } from '../policy.js';
import { isExactText, statsOf } from './places.js';

/** The system follows no more links than that either. */
const MOST_LINKS = 40;

export type Followed = {
  /** Where it leads, or would lead if that existed. */
  readonly real: AbsolutePath;
  readonly links: readonly ProtectedLink[];
  /** The links before it were all that could be followed: a circle, or a target that is not valid UTF-8. */
  readonly broken: boolean;
};

export function followLinks(file: string): Followed {
  const { root } = path.parse(file);
  const links: ProtectedLink[] = [];
  const ahead = namesOf(file.slice(root.length));
  let real = root;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    const here = path.join(real, name);
    const target = targetOf(here);
    if (target === undefined) {
      real = here;
      continue;
    }
    links.push({ path: absolutePath(here), target });
    if (links.length > MOST_LINKS || !isNameable(target)) return { real: absolutePath(here), links, broken: true };
    const base = path.parse(target).root;
    if (base !== '') real = base;
    ahead.unshift(...namesOf(target.slice(base.length)));
  }
  return { real: absolutePath(real), links, broken: false };
}

/** Whether a text that the system handed out is surely what it has on disk. */
export function isNameable(text: string): boolean {
  return !text.includes('\uFFFD') && isExactText(text);
}

function namesOf(relative: string): string[] {
  return relative.split(path.sep).filter((name) => name !== '' && name !== '.');
}

function targetOf(file: string): string | undefined {
  try {
    return statsOf(file)?.isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    // What cannot be looked at is no link that the command could follow either.
    return undefined;
  }
}
