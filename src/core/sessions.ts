/**
 * Programs that may outlive the call that started them. A session is known by its id until its end has been told
 * once; what it prints between two calls is kept for the next one.
 */
import type { CallId, SessionId } from './ids.js';
import type { Capture } from './output.js';
import type { AbsolutePath } from './paths.js';
import type { ProcessExit, TerminalSize, Workspace } from './workspace.js';

export interface Sessions {
  /** Starts a program in the workspace it is given; the workspace decides how it is confined. */
  start(start: SessionStart, workspace: Workspace, signal?: AbortSignal): Promise<Session>;
  find(id: number): Session | undefined;
  /** The least recently used first. */
  list(): readonly SessionInfo[];
  /** How many there can be; more make room for themselves. */
  readonly capacity: number;
}

export type SessionStart = {
  readonly callId: CallId;
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  readonly tty: boolean;
  /** What a model reads that types into a program without input. */
  readonly noInputText: string;
  /** Whether the workspace confines it. */
  readonly confined: boolean;
};

export type SessionInfo = {
  readonly id: SessionId;
  readonly callId: CallId;
  readonly pid: number | undefined;
  readonly argv: readonly string[];
  readonly cwd: AbsolutePath;
  /** Whether it has a terminal. */
  readonly tty: boolean;
  readonly confined: boolean;
  readonly running: boolean;
  /** What was typed into it since the last end of a line. */
  readonly line: string;
};

export interface Session {
  readonly info: SessionInfo;
  readonly notice: string | undefined;
  /** Does something with the session while no other call does. */
  exclusively<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  /** Throws a `ToolFailure` when the program takes no input. Ctrl-C reaches every program. */
  type(text: string): Promise<void>;
  /** Waits until it ends, until it waits for input, or for `ms`; gives what was printed since the last time. */
  collect(options: { readonly ms: number; readonly signal: AbortSignal }): Promise<Collected>;
  resize(size: TerminalSize): void;
  /** Ends the program with everything it started and forgets the session. */
  end(): Promise<void>;
}

export type Collected = {
  readonly output: Capture;
  /** Present once: the session is forgotten with it. */
  readonly exit?: ProcessExit;
  /** The program is blocked reading its terminal; `prompt` is the line it stands on. */
  readonly waiting?: { readonly prompt: string };
};
