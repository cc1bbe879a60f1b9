/**
 * Sockets of the command's own making only: where services of the machine have theirs, it finds an empty folder, and those
 * that listen elsewhere are covered. Who begins to listen later, in a folder that the command can see, can be reached.
 */
import fs from 'node:fs';

import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { placeAt } from '../resolve/places.js';
import type { ResolvedPolicy } from '../policy.js';

export type PrivateSockets = {
  readonly policy: ResolvedPolicy;
  /** Folders in whose place the command gets an empty one. */
  readonly emptied: readonly AbsolutePath[];
};

const SHARED_FOLDERS: readonly AbsolutePath[] = ['/run', '/tmp'].map(absolutePath);

export function withPrivateSockets(policy: ResolvedPolicy): PrivateSockets {
  if (policy.unixSockets === 'none') return { policy, emptied: [] };
  const places = [...policy.writable, ...policy.granted, ...policy.hidden].map((place) => place.path);
  // A folder that holds the workspace cannot be emptied.
  const emptied = SHARED_FOLDERS.filter(
    (folder) => fs.existsSync(folder) && !places.some((place) => place !== folder && isInside(folder, place)),
  );
  const isKept = ({ path }: { readonly path: AbsolutePath }): boolean => !emptied.some((each) => isInside(each, path));
  const listeners = listeningSockets().filter((path) => isKept({ path }));
  return {
    policy: {
      ...policy,
      writable: policy.writable.filter(isKept),
      granted: policy.granted.filter(isKept),
      hidden: [...policy.hidden, ...listeners.flatMap((path) => placeAt(path) ?? [])],
    },
    emptied,
  };
}

/** By the paths under which they were made, if there is still something there. */
function listeningSockets(): readonly AbsolutePath[] {
  const lines = fs.readFileSync('/proc/net/unix', 'latin1').split('\n').slice(1);
  const paths = lines.flatMap((line) => /^\S+ \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].flatMap((file) => {
    try {
      return [absolutePath(fs.realpathSync.native(Buffer.from(file, 'latin1').toString()))];
    } catch {
      return [];
    }
  });
}
