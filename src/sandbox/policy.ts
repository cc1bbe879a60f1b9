/**
 * What a confined command may do, as plain data. A policy says it in names; a resolved policy is the same after somebody
 * has looked at the disk. Backends turn a resolved policy into a way to start a program, and do not look again.
 */
import type { Grant } from '../core/effects.js';
import type { AbsolutePath } from '../core/paths.js';

export type SandboxPolicy = {
  /** Folders that may be written to; none at all in read-only mode. */
  readonly writableRoots: readonly AbsolutePath[];
  /** Names that stay read-only wherever they are found in a root, such as `.git`. */
  readonly protectedNames: readonly string[];
  /** Whole paths that stay read-only although a root holds them. */
  readonly protectedPaths: readonly AbsolutePath[];
  /** What cannot even be read. */
  readonly hiddenPaths: readonly AbsolutePath[];
  /** Single rights on top of all that. */
  readonly grants: readonly Grant[];
  readonly network: NetworkPolicy;
  readonly unixSockets: UnixSockets;
  readonly limits: Limits;
};

/** With a list of hosts, everything goes through the proxy; an empty one is what people call "network off". */
export type NetworkPolicy = { readonly kind: 'open' } | { readonly kind: 'hosts'; readonly allowed: readonly string[] };

/** `private`: sockets of the command's own making only. */
export type UnixSockets = 'none' | 'private';

/** Absent: as much as the system gives. */
export type Limits = {
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
  readonly fileBytes?: number;
};

export type ResolvedPolicy = {
  readonly writable: readonly Place[];
  /** Read-only inside of what is writable, outermost first. */
  readonly protected: readonly Place[];
  /** Folders between a writable one and what is protected in it: writable, but never to be renamed. Outermost first. */
  readonly pinned: readonly Place[];
  /** Writable again by a single right, wherever it is. */
  readonly granted: readonly Place[];
  readonly hidden: readonly Place[];
  /** Protected names that are links: nothing can be mounted on them, so they are compared before and after. */
  readonly links: readonly ProtectedLink[];
  /** Protected names directly in a root that are not there: whatever appears under them is put away afterwards. */
  readonly absent: readonly AbsolutePath[];
  readonly network: NetworkPolicy;
  readonly unixSockets: UnixSockets;
  readonly limits: Limits;
};

/** Reading is free, and nothing else is possible. */
export const NOTHING_ALLOWED: ResolvedPolicy = {
  writable: [],
  protected: [],
  pinned: [],
  granted: [],
  hidden: [],
  links: [],
  absent: [],
  network: { kind: 'hosts', allowed: [] },
  unixSockets: 'none',
  limits: {},
};

/** Something that exists, by its real path, and what it was when it was looked at. */
export type Place = {
  readonly path: AbsolutePath;
  readonly kind: 'folder' | 'file';
  readonly device: number;
  readonly inode: number;
};

export type ProtectedLink = { readonly path: AbsolutePath; readonly target: string };

/** What a backend holds to. Whoever asks for more gets a refusal or a question, never silence. */
export type Guarantees = {
  /** Content of files outside of the writable ones. */
  readonly writes: 'enforced' | 'open';
  /** Modes, owners, times and attributes of the same. */
  readonly metadata: 'enforced' | 'open';
  /** `reverted`: a change is found and undone when the command has ended. */
  readonly protectedPaths: 'enforced' | 'reverted' | 'open';
  readonly hiddenPaths: 'enforced' | 'open';
  /** `none`: no sockets at all; `loopback`: the command's own only; `hosts`: those and listed hosts, by a proxy. */
  readonly network: 'none' | 'loopback' | 'hosts' | 'open';
  readonly unixSockets: 'none' | 'private' | 'open';
  /** Whether it can see or signal processes that are not its own. */
  readonly processes: 'isolated' | 'unsignalled' | 'open';
  /** Whether everything it started is surely gone with it. */
  readonly killing: 'whole' | 'marked';
  /** Which limits hold. */
  readonly limits: readonly (keyof Limits)[];
};
