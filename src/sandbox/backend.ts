/** A way to confine a command on some machine. All of them are asked the same, and say what they hold to. */
import type { AbsolutePath } from '../core/paths.js';
import { SANDBOX_BACKENDS } from '../core/sandbox-settings.js';
import type { SandboxBackend } from '../core/sandbox-settings.js';
import type { Command, Process, ProcessExit, Workspace } from '../core/workspace.js';
import type { ConnectionAttempt, RefusedHost } from './denials/connect-denials.js';
import type { Guarantees, ResolvedPolicy } from './policy.js';
import type { ReadXattrs } from './staging/overlay-marks.js';

export type BackendName = Exclude<SandboxBackend, 'auto'>;
export const BACKEND_NAMES = SANDBOX_BACKENDS.filter((name) => name !== 'auto');

export interface Backend {
  readonly name: BackendName;
  /** How a write that is not allowed fails. */
  readonly writeError: 'EROFS' | 'EACCES' | 'EPERM';
  guarantees(policy: ResolvedPolicy): Guarantees;
  /** A command may come soon: begins with what the first one would have to wait for. */
  getReady?(policy: ResolvedPolicy): void;
  /** Starts a command. Throws when the sandbox cannot be set up; then nothing has run. */
  start(start: ConfinedStart): Promise<ConfinedProcess>;
  /** Present where commands can be staged. */
  readonly readXattrs?: ReadXattrs;
  close(): Promise<void>;
}

/** What the user's rules say to a host; `byName`: they name exactly this one. */
export type HostVerdict = { readonly allowed: boolean; readonly byName: boolean };

export type ConfinedStart = {
  readonly command: Command;
  readonly policy: ResolvedPolicy;
  readonly workspace: Workspace;
  readonly watchPaths: boolean;
  /** The user's own folder, which nobody is asked to open as a whole. */
  readonly home: AbsolutePath;
  /** What is ours: nobody is asked to open that at all. */
  readonly ours: readonly AbsolutePath[];
  /** Where a path really leads. */
  readonly realPath: (path: string) => AbsolutePath;
  /** What it writes to the folder goes elsewhere. */
  readonly stage?: { readonly lower: AbsolutePath; readonly upper: AbsolutePath; readonly work: AbsolutePath };
};

export type ConfinedProcess = {
  readonly process: Process;
  /** Once it has ended: how it really did, and what was seen of it. */
  settle(exit: ProcessExit): Promise<Settled>;
};

export type Settled = {
  readonly exit: ProcessExit;
  /** Set when the sandbox itself was at fault. */
  readonly failure?: string;
  readonly connections: readonly ConnectionAttempt[];
  /** Hosts that the proxy refused. */
  readonly refusedHosts: readonly RefusedHost[];
  /** Names that were asked of the resolver; `shared` when others may have asked for them too. */
  readonly askedNames: readonly string[];
  readonly shared: boolean;
  /** Paths that it tried to change; only when they were watched. */
  readonly paths: readonly AbsolutePath[];
};
