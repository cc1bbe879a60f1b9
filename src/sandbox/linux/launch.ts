/** What the Linux backends start from, and what they make of it. */
import type { AbsolutePath } from '../../core/paths.js';
import type { ResolvedPolicy } from '../policy.js';
import type { Architecture } from './system-calls.js';

/** A command whose program was found and whose environment is decided. */
export type Target = {
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: AbsolutePath;
};

/** What this kernel can do for us here. */
export type Abilities = {
  readonly architecture: Architecture;
  /** 0 where there is no Landlock. */
  readonly landlock: number;
  /** Whether a `/proc` of the command's own can be mounted; not where parts of the outer one are covered. */
  readonly freshProc: boolean;
  /** Whether links can be kept from being followed all along a path. */
  readonly openat2: boolean;
  /** Whether system calls can be watched; nobody can inside of something that watches already. */
  readonly watches: boolean;
  /** Those of the devices that programs need which are here, and no links. */
  readonly devices: readonly string[];
  /** Folders of the same kind: terminals, shared memory. */
  readonly sharedDevices: readonly string[];
};

/** What is seen of a command's system calls beside what is refused. */
export type Evidence = 'none' | 'network' | 'paths';

/** Whoever may reach every host is not watched connecting. */
export function evidenceFor({ network }: ResolvedPolicy, watchPaths: boolean, { watches }: Abilities): Evidence {
  if (!watches) return 'none';
  if (watchPaths) return 'paths';
  return network.kind === 'open' ? 'none' : 'network';
}

export type Request = {
  readonly policy: ResolvedPolicy;
  readonly abilities: Abilities;
  readonly evidence: Evidence;
  /** Files of control groups that the command joins. */
  readonly groups: readonly AbsolutePath[];
};
