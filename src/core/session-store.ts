/** All kept sessions of a user. Whatever cannot be done throws a `ConfigError` that says why and what to do. */
import type { KeptSession, SessionLine, SessionLog, SessionSummary } from './session-log.js';

export interface SessionStore {
  /** Nothing is written before the first line is. Throws when there is a session of that id. */
  create(start: SessionStart): SessionLog;
  /** For one process at a time: throws when another one has it. What a crash left half written is put right. */
  open(id: string): Promise<KeptSession>;
  /** Without opening it: also while another process has it. */
  read(id: string): Promise<readonly SessionLine[]>;
  /** By its id, the beginning of one, or its name; throws when there is none, or more than one. */
  find(text: string): Promise<string>;
  /** The last used first. */
  list(filter?: SessionFilter): Promise<readonly SessionSummary[]>;
  /** The id of the last used one, of this folder or of any; undefined when there is none. */
  latest(cwd?: string): Promise<string | undefined>;
  summary(id: string): Promise<SessionSummary>;
  /** A new session that begins with the turns of this one, or the first of them. Its name is not taken over. */
  fork(id: string, options: { readonly newId: string; readonly turns?: number; readonly cwd?: string }): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** Throws when another process has it. */
  remove(id: string): Promise<void>;
  /** The file it is in. */
  fileOf(id: string): string;
}

export type SessionStart = {
  readonly id: string;
  readonly cwd: string;
  /** Of Tenon. */
  readonly version: string;
};

export type SessionFilter = {
  /** Those of this folder alone. */
  readonly cwd?: string;
  /** Last used then or later; before then. */
  readonly since?: Date;
  readonly until?: Date;
  readonly limit?: number;
};
