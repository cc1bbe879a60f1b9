/**
 * The hands a tool is given. A sandbox is a function from one workspace to a narrower one; Docker, a VM or a
 * remote host are other workspaces, not other tools.
 */
import type { Grant } from './effects.js';
import type { Files } from './files.js';
import type { OutputStream } from './output.js';
import type { AbsolutePath } from './paths.js';

export interface Workspace {
  readonly cwd: AbsolutePath;
  readonly files: Files;
  /** Starts a program. A program that cannot be started is an `Exit`, not an exception. */
  spawn(command: Command): Promise<Process>;
  /** The program as `spawn` would start it here. Absent where programs are not started by us. */
  prepare?(command: Command): Promise<Program>;
  /**
   * A command may come soon: what the first one would have to wait for is begun, but for the user's profile. That is read
   * for a command that runs: ended in the middle, it may leave locks behind. Does nothing once a command has been started.
   */
  getReady?(): void;
  /** The command line that runs a script in a shell; throws a `ToolFailure` when there is no such shell. */
  shellCommand(script: string, options: ShellOptions): readonly string[];
  /** The command line of a program that comes with us; absent, or undefined, where there is none. */
  companion?(name: Companion): Promise<readonly string[] | undefined>;
}

/** `search` takes the arguments of ripgrep. `scale-image` is described where it is used. */
export type Companion = 'search' | 'scale-image';

/** `shell` is a name or a path, default the user's; `login` is by default what the user's settings allow. */
export type ShellOptions = { readonly shell?: string | undefined; readonly login?: boolean | undefined };

export type Command = {
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  /** Gives it a terminal. Where there is none, it gets pipes, and `notice` says so. */
  readonly terminal?: TerminalSize;
  /** Gives it our own input, output and terminal; `onOutput` then hears nothing. */
  readonly attached?: boolean;
  /** Names it in listings, and in what it starts. */
  readonly label?: string;
  /** Gives up starting it; once it has started, its process is to be ended. */
  readonly signal?: AbortSignal;
  /** What confines it, for the program to see. */
  readonly sandbox?: SandboxMark;
  /** Makes of the program what is started in its place, such as a launcher that confines itself and then becomes it. */
  readonly through?: (program: Program) => Launch | Promise<Launch>;
  /** Called with each chunk in order of arrival; the chunk is the listener's to keep, unless it is lent. */
  readonly onOutput: (chunk: Uint8Array, stream: OutputStream) => void;
  /** Chunks may be in memory that is used again as soon as the listener is done. Default false. */
  readonly lendsOutput?: boolean;
};

/** What would be started: its environment is decided. */
export type Program = {
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
};

export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  /** Of the launcher itself; the program's own is its business. */
  readonly env: Readonly<Record<string, string>>;
  /** Ours that it gets, from 3 on. Whoever opened them closes them. */
  readonly descriptors: readonly number[];
};

export type TerminalSize = { readonly columns: number; readonly rows: number };

const MOST_CELLS = 65_535;

export function checkTerminalSize(size: TerminalSize): TerminalSize {
  const fits = [size.columns, size.rows].every((each) => Number.isInteger(each) && each > 0 && each <= MOST_CELLS);
  if (fits) return size;
  throw new RangeError(`a terminal has 1 to ${MOST_CELLS} columns and rows, not ${size.columns} by ${size.rows}`);
}

export type SandboxMark = { readonly name: string; readonly network: boolean };

/** A program that was started. Its input is closed from the beginning unless it was given a terminal. */
export interface Process {
  readonly pid: number | undefined;
  /** Resolves once the program has ended and its output has been delivered. Never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** Something about how it runs that whoever asked for it has to know. */
  readonly notice?: string | undefined;
  /** Present when it can be typed to. Resolves when the program's side has taken the bytes; throws when it cannot. */
  readonly write?: (bytes: Uint8Array) => Promise<void>;
  readonly terminal?: Terminal;
  /** Asks the program and its group to stop, as Ctrl-C does. */
  interrupt(): void;
  /** Ends it and everything it started, wherever that went. */
  end(): Promise<void>;
}

export interface Terminal {
  resize(size: TerminalSize): void;
  /** Resolves when everything that was printed before has been delivered, or cannot be any more. */
  flushed(): Promise<void>;
  /**
   * Present while the program in the foreground is blocked reading from the terminal: a mark that is another one each
   * time it blocks. Absent as well where the system does not tell.
   */
  waiting(): string | undefined;
}

/** How a program ended by itself. */
export type ProcessExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string; readonly number: number }
  | { readonly kind: 'not_started'; readonly reason: string };

/** The same, or that it was not left the time to. */
export type Exit = ProcessExit | { readonly kind: 'timed_out'; readonly ms: number };

/** Whoever starts processes also knows them all, and ends them when it is closed. */
export interface ProcessOwner {
  processes(): Promise<readonly ProcessInfo[]>;
  close(): Promise<void>;
}

export type ProcessInfo = {
  readonly pid: number;
  readonly parent: number;
  /** What its command was started as: a session's id, or a name of its own. */
  readonly label: string;
  readonly command: string;
  readonly state: string;
  readonly startedAt: string;
  readonly memoryBytes: number;
};

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

/**
 * Something the sandbox stopped. Only what is not `inferred` may lead to a second attempt. `counterfactual`: the program
 * said so, the sandbox does not allow it, and without the sandbox it would have been possible.
 */
export type Denial = {
  readonly kind: 'write' | 'read' | 'connect' | 'syscall';
  readonly target: string;
  readonly proof: 'broker' | 'kernel' | 'proxy' | 'counterfactual' | 'inferred';
};

/** What a sandbox has to say of an attempt. */
export type SandboxReport =
  | Denial
  /** It could not be set up, and nothing was run; or not all could be put back afterwards. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Something was changed that must not be, and was put back; what stood in its place may have been put aside. */
  | { readonly kind: 'reverted'; readonly path: AbsolutePath; readonly change: string; readonly aside?: AbsolutePath };

/** Narrows a workspace to a profile. What it stops goes to `report`, so no tool has to look for denials. */
export type Confine = (workspace: Workspace, profile: Profile, report: (what: SandboxReport) => void) => Workspace;
