/**
 * Limits that only control groups can hold: memory and the number of processes of a whole command. Each command gets a
 * group of its own where we may make one; where we may not, the guarantees say so.
 */
import fs from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Limits } from '../policy.js';

export interface ControlGroups {
  /** Which of these limits hold here. */
  held(limits: Limits): readonly (keyof Limits)[];
  open(limits: Limits): OpenGroup;
  /** Resolves when the groups are gone. */
  close(): Promise<void>;
}

export type OpenGroup = {
  /** Files that whoever joins writes its number to. */
  readonly files: readonly AbsolutePath[];
  close(): void;
};

type Controller = {
  readonly limit: 'memoryBytes' | 'processes';
  readonly folder: string;
  readonly file: string;
};

/** The user 0 is not bound by the limit that every other user has. */
export function findControlGroups(user: number): ControlGroups {
  const controllers = findControllers(fs.readFileSync('/proc/self/cgroup', 'utf8'));
  const enforced = new Set<keyof Limits>([
    'cpuSeconds',
    'fileBytes',
    ...(user === 0 ? [] : (['processes'] as const)),
    ...controllers.map(({ limit }) => limit),
  ]);
  const leaving = new Set<Promise<void>>();

  /** Once: whoever was killed has left its groups behind. */
  const sweep = onlyOnce(() => {
    for (const { folder } of controllers) for (const group of leftIn(folder)) remove(group);
  });

  function remove(group: string): void {
    const gone = removeGroup(group).finally(() => leaving.delete(gone));
    leaving.add(gone);
  }

  return {
    held: (limits) => keysOf(limits).filter((name) => limits[name] !== undefined && enforced.has(name)),
    open(limits) {
      const groups: string[] = [];
      sweep();
      try {
        for (const controller of controllers) {
          const limit = limits[controller.limit];
          if (limit !== undefined) groups.push(makeGroup(controller, limit));
        }
      } catch (error) {
        groups.forEach(remove);
        throw error;
      }
      return {
        files: groups.map((group) => absolutePath(path.join(group, 'cgroup.procs'))),
        close: () => groups.forEach(remove),
      };
    },
    async close() {
      await Promise.all(leaving);
    },
  };
}

function keysOf(limits: Limits): readonly (keyof Limits)[] {
  return Object.keys(limits) as (keyof Limits)[];
}

const ROOT = '/sys/fs/cgroup';

/** Version 2 has one tree for all controllers, version 1 one for each. */
function findControllers(own: string): readonly Controller[] {
  const lines = own.split('\n').map((line) => /^(\d+):([^:]*):(.*)$/.exec(line));
  return lines.flatMap((line) => {
    const [, hierarchy, names = '', place = ''] = line ?? [];
    if (hierarchy === '0') return ['', 'unified'].flatMap((tree) => unified(path.join(ROOT, tree, place)));
    return names.split(',').flatMap((name) => {
      const controller = FIRST_VERSION[name];
      const folder = path.join(ROOT, name, place);
      return controller && isWritable(folder) ? [{ ...controller, folder }] : [];
    });
  });
}

const FIRST_VERSION: Readonly<Record<string, Omit<Controller, 'folder'>>> = {
  memory: { limit: 'memoryBytes', file: 'memory.limit_in_bytes' },
  pids: { limit: 'processes', file: 'pids.max' },
};

const SECOND_VERSION: readonly (Omit<Controller, 'folder'> & { readonly name: string })[] = [
  { name: 'memory', limit: 'memoryBytes', file: 'memory.max' },
  { name: 'pids', limit: 'processes', file: 'pids.max' },
];

function unified(folder: string): readonly Controller[] {
  const enabled = readOr(path.join(folder, 'cgroup.subtree_control')).split(/\s+/);
  if (!isWritable(folder)) return [];
  const usable = SECOND_VERSION.filter(({ name }) => enabled.includes(name));
  return usable.map(({ limit, file }) => ({ limit, file, folder }));
}

function readOr(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeGroup({ folder, file }: Controller, limit: number): string {
  // Another runtime in this process makes groups, too.
  const group = path.join(folder, `tenon-${process.pid}-${process.hrtime.bigint().toString(36)}`);
  fs.mkdirSync(group);
  try {
    fs.writeFileSync(path.join(group, file), String(Math.ceil(limit)));
  } catch (error) {
    fs.rmdirSync(group);
    throw error;
  }
  return group;
}

function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** Groups of ours whose makers are gone. */
function leftIn(folder: string): readonly string[] {
  const names = fs
    .readdirSync(folder)
    .filter((name) => !isAlive(Number(/^tenon-(\d+)-/.exec(name)?.[1] ?? process.pid)));
  return names.map((name) => path.join(folder, name));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const ATTEMPTS = 20;
const PAUSE_MS = 25;

/** Somebody may still be dying in it. */
async function removeGroup(group: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return fs.rmdirSync(group);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
