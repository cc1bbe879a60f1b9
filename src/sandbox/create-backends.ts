/** Every backend that this program knows, found when it is asked for. */
import { messageOf } from '../core/errors.js';
import { absolutePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { SandboxBackend, SandboxSettings } from '../core/sandbox-settings.js';
import type { BackendName, HostVerdict } from './backend.js';
import type { Candidate } from './choose-backend.js';
import { once } from '../core/once.js';

export type BackendOptions = {
  readonly settings: SandboxSettings;
  /** Ours alone. */
  readonly cacheFolder: AbsolutePath;
  /** Whether what was found out about the machine is written down there for the next time. */
  readonly remember: boolean;
  /** Folders in which no program of ours is looked for, by their real paths. */
  readonly untrusted: readonly AbsolutePath[];
  /** What rules say to a host; undefined when nothing. */
  readonly judgeHost: (host: string) => Promise<HostVerdict | undefined>;
};

export interface Backends {
  /** For `auto` the ladder of this system, else the one that was named. */
  find(name: SandboxBackend): Promise<readonly Candidate[]>;
  close(): Promise<void>;
}

/** What `auto` tries, the best first. Containers and machines are used only when they are asked for. */
const LADDERS: Readonly<Partial<Record<NodeJS.Platform, readonly BackendName[]>>> = {
  linux: ['cell', 'bubblewrap', 'landlock'],
  darwin: ['seatbelt'],
};

export function createBackends(options: BackendOptions): Backends {
  const linux = once(async () => {
    const { createLinuxBackends } = await import('./linux/find-backends.js');
    const { chrootRoot } = options.settings;
    return createLinuxBackends({ ...options, root: chrootRoot === undefined ? undefined : absolutePath(chrootRoot) });
  });
  const others = new Map<BackendName, Promise<Candidate>>();

  async function candidate(name: BackendName): Promise<Candidate> {
    const found = LINUX.has(name) && process.platform === 'linux' ? await (await linux()).find() : [];
    const known = found.find((each) => nameOf(each) === name);
    if (known !== undefined) return known;
    const other = others.get(name) ?? findOther(name, options);
    others.set(name, other);
    return other;
  }

  return {
    async find(name) {
      const names = name === 'auto' ? (LADDERS[process.platform] ?? []) : [name];
      return Promise.all(names.map(candidate));
    },
    async close() {
      await (await linux.started())?.close();
      for (const other of others.values()) {
        const found = await other;
        if (found.kind === 'works') await found.backend.close();
      }
    },
  };
}

const LINUX: ReadonlySet<BackendName> = new Set(['cell', 'bubblewrap', 'landlock', 'chroot']);

function nameOf(candidate: Candidate): BackendName {
  return candidate.kind === 'works' ? candidate.backend.name : candidate.name;
}

async function findOther(name: BackendName, options: BackendOptions): Promise<Candidate> {
  try {
    switch (name) {
      case 'docker':
        return await (await import('./docker/find-docker.js')).findDocker(options);
      case 'vm':
        return await (await import('./vm/find-vm.js')).findVm(options);
      case 'seatbelt':
        return await (await import('./seatbelt/find-seatbelt.js')).findSeatbelt();
      default:
        return { kind: 'broken', name, reason: `there is no such sandbox on ${process.platform}` };
    }
  } catch (error) {
    return { kind: 'broken', name, reason: messageOf(error) };
  }
}
