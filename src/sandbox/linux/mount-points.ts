/** A root folder of the user's own may lack the folders that are to be mounted in it; empty ones are made. */
import fs from 'node:fs';
import path from 'node:path';

import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';

const ALWAYS = ['/dev', '/proc'];

/** Gives the policy as it is in there: what does not exist need not be hidden. */
export function prepareRoot(root: AbsolutePath, policy: ResolvedPolicy): ResolvedPolicy {
  const mounted = [...policy.writable, ...policy.granted];
  for (const folder of ALWAYS) fs.mkdirSync(path.join(root, folder), { recursive: true });
  for (const place of mounted) makeOne(root, place);
  const isThere = ({ path: place }: Place): boolean =>
    mounted.some((each) => isInside(each.path, place)) || fs.existsSync(path.join(root, place));
  return { ...policy, hidden: policy.hidden.filter(isThere) };
}

/** Only what lies in a writable place is mounted beside these, and is there once that is. */
function makeOne(root: AbsolutePath, { path: place, kind }: Place): void {
  const point = path.join(root, place);
  if (fs.existsSync(point)) return;
  fs.mkdirSync(kind === 'folder' ? point : path.dirname(point), { recursive: true });
  if (kind === 'file') fs.writeFileSync(point, '', { flag: 'wx' });
}
