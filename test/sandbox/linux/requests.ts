/** One policy with something of everything, and what the Linux backends are asked with it. Nothing of it need exist. */
import { absolutePath } from '../../../src/core/paths.js';
import type { Request, Target } from '../../../src/sandbox/linux/launch.js';
import { NOTHING_ALLOWED } from '../../../src/sandbox/policy.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';

export const POLICY: ResolvedPolicy = {
  writable: [place('/project'), place('/tmp')],
  protected: [place('/project/.git'), place('/project/deep/inner/.git'), place('/project/.env', 'file')],
  pinned: [place('/project/deep'), place('/project/deep/inner')],
  granted: [place('/project/.git/index', 'file'), place('/srv/cache')],
  hidden: [place('/home/u/.ssh'), place('/home/u/.netrc', 'file')],
  links: [],
  absent: [],
  network: { kind: 'hosts', allowed: [] },
  unixSockets: 'none',
  limits: { memoryBytes: 1 << 26, processes: 50, cpuSeconds: 60, fileBytes: 1 << 20 },
};

export const REQUEST: Request = {
  policy: POLICY,
  abilities: {
    architecture: 'x64',
    landlock: 6,
    freshProc: true,
    openat2: true,
    watches: true,
    devices: ['/dev/null', '/dev/tty', '/dev/ptmx'],
    sharedDevices: ['/dev/pts', '/dev/shm'],
  },
  evidence: 'network',
  groups: [
    absolutePath('/sys/fs/cgroup/memory/own/cgroup.procs'),
    absolutePath('/sys/fs/cgroup/pids/own/cgroup.procs'),
  ],
};

export const TARGET: Target = {
  file: '/bin/sh',
  argv: ['sh', '-c', 'make'],
  env: { HOME: '/home/u', PATH: '/usr/bin:/bin' },
  cwd: absolutePath('/project'),
};

/** A policy that allows nothing but what is said. */
export function policyOf(parts: Partial<ResolvedPolicy> = {}): ResolvedPolicy {
  return { ...NOTHING_ALLOWED, ...parts };
}

export function place(path: string, kind: Place['kind'] = 'folder'): Place {
  return { path: absolutePath(path), kind, device: 1, inode: 1 };
}
