/**
 * The hands a tool is given. A sandbox is a function from one workspace to a narrower one; Docker, a VM or a
 * remote host are other workspaces, not other tools.
 */
import type { Grant } from './effects.js';
import type { OutputStream } from './output.js';
import type { AbsolutePath } from './paths.js';

export interface Workspace {
  readonly cwd: AbsolutePath;
  readonly files: Files;
  /** Starts a program. A program that cannot be started is an `Exit`, not an exception. */
  spawn(command: Command): Promise<Process>;
  /** The command line that runs a script in the user's shell. */
  shellCommand(script: string, options: ShellOptions): readonly string[];
}

export type ShellOptions = { readonly shell?: string; readonly login: boolean };

export interface Files {
  /** Opens a regular file for reading; throws a `FileProblem` for anything else. */
  open(path: AbsolutePath): Promise<OpenFile>;
}

export interface OpenFile {
  readonly size: number;
  /** Fills `into` from `position` on; resolves to the bytes read, 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export type Command = {
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called with each chunk in order of arrival; the chunk is the listener's to keep. */
  readonly onOutput: (chunk: Uint8Array, stream: OutputStream) => void;
};

export interface Process {
  readonly pid: number | undefined;
  /** Resolves once the program has ended and its output has been delivered. Never rejects. */
  readonly exit: Promise<Exit>;
}

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string; readonly number: number }
  | { readonly kind: 'timed_out'; readonly ms: number }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not_started'; readonly reason: string };

export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];
export const DEFAULT_SANDBOX_MODE: SandboxMode = 'workspace-write';

/** What a confined attempt may do; `grants` are rights added after an attempt was proven to lack them. */
export type Profile = {
  readonly mode: SandboxMode;
  readonly writableRoots: readonly AbsolutePath[];
  readonly network: boolean;
  readonly grants: readonly Grant[];
};

/** Something the sandbox stopped. Only what is not `inferred` may lead to a second attempt. */
export type Denial = {
  readonly kind: 'write' | 'read' | 'connect' | 'syscall';
  readonly target: string;
  readonly proof: 'broker' | 'kernel' | 'proxy' | 'inferred';
};

/** Narrows a workspace to a profile. What it stops goes to `report`, so no tool has to look for denials. */
export type Confine = (workspace: Workspace, profile: Profile, report: (denial: Denial) => void) => Workspace;
