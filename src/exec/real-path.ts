/** Where a path really leads, as far as it exists: rules and roots are compared with that, not with how it is spelled. */
import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';

/** The system follows no more links than that either. */
const MOST_LINKS = 40;

/** A link to something that does not exist yet leads there all the same: writing to it would make it. */
export function realPath(file: string): AbsolutePath {
  return absolutePath(follow(file, MOST_LINKS));
}

function follow(file: string, links: number): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(file);
    if (folder === file || links === 0) return path.resolve(file);
    const real = follow(folder, links - 1);
    const here = path.join(real, path.basename(file));
    const target = targetOf(here);
    return target === undefined ? here : follow(path.resolve(real, target), links - 1);
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
