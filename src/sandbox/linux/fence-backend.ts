/** Commands behind the fence, for machines and containers where no namespaces can be had. */
import fs from 'node:fs';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Backend } from '../backend.js';
import { keepLatest } from '../keep-latest.js';
import type { Runner } from '../runner/runner.js';
import type { ControlGroups } from './control-groups.js';
import { compileFence, fenceGuarantees } from './fence.js';
import { readableSurface } from './landlock.js';
import type { FolderEntry, ListFolder, ReadablePlace } from './landlock.js';
import { evidenceFor } from './launch.js';
import type { Abilities } from './launch.js';
import { startThroughRunner } from './start-through-runner.js';

export type FenceOptions = {
  readonly runner: Runner;
  readonly abilities: Abilities;
  readonly groups: ControlGroups;
};

export function createFenceBackend({ runner, abilities, groups }: FenceOptions): Backend {
  const beginnings = keepLatest(compileFence);
  const surfaces = createSurfaces();
  return {
    name: 'landlock',
    writeError: 'EACCES',
    guarantees: (policy) => ({ ...fenceGuarantees(policy, abilities), limits: groups.held(policy.limits) }),
    async start({ command, workspace, policy, watchPaths }) {
      const group = groups.open(policy.limits);
      try {
        const beginning = beginnings.get({
          policy,
          abilities,
          evidence: evidenceFor(policy, watchPaths, abilities),
          groups: group.files,
          readable: surfaces.readable(policy.hidden.map((place) => place.path)),
        });
        const started = await startThroughRunner({ command, workspace, runner, env: {}, descriptors: [], beginning });
        return {
          process: started.process,
          async settle(exit) {
            group.close();
            return { ...started.told(exit), refusedHosts: [], askedNames: [], shared: false };
          },
        };
      } catch (error) {
        group.close();
        throw error;
      }
    },
    close: async () => {},
  };
}

/** Given one by one: as root, reading a disk would be reading everything. */
const DEVICES = absolutePath('/dev');

/** Listing the folders above everything hidden takes longer than the command; what is new in them can wait. */
const TRUST_MS = 2_000;

function createSurfaces(): { readable(hidden: readonly AbsolutePath[]): readonly ReadablePlace[] } {
  let known: { readonly key: string; readonly at: number; readonly places: readonly ReadablePlace[] } | undefined;
  return {
    readable(hidden) {
      const key = hidden.join('\0');
      const now = performance.now();
      if (known?.key !== key || now - known.at > TRUST_MS) {
        known = { key, at: now, places: readableSurface(listFolder, [...hidden, DEVICES]) };
      }
      return known.places;
    },
  };
}

const listFolder: ListFolder = (folder) => {
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).map(entryOf);
  } catch {
    return folder === '/' ? USUAL_FOLDERS.flatMap(entryAtRoot) : [];
  }
};

/** Behind another fence not even the root can be listed, but what is usually in it can be used. */
const USUAL_FOLDERS = 'bin etc home lib lib32 lib64 nix opt proc root run sbin srv sys tmp usr var'.split(' ');

function entryAtRoot(name: string): readonly FolderEntry[] {
  const stats = fs.lstatSync(`/${name}`, { throwIfNoEntry: false });
  return stats === undefined ? [] : [{ name, isFolder: stats.isDirectory(), isLink: stats.isSymbolicLink() }];
}

function entryOf(entry: fs.Dirent): FolderEntry {
  return { name: entry.name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() };
}
