/** Where a session is written down, line by line, so that it can go on in another process. */
import type { z } from 'zod/mini';

import type { DeepReadonly } from './events.js';
import type { sessionLineSchema } from './session-schema.js';

export const SESSION_VERSION = 1;

export type SessionLine = DeepReadonly<z.infer<typeof sessionLineSchema>>;

export type LineOf<Type extends SessionLine['type']> = Extract<SessionLine, { type: Type }>;

export interface SessionLog {
  /** Of the session. */
  readonly id: string;
  /** Written when it returns: whatever becomes of this process, the line is there. Throws when that cannot be done. */
  append(line: SessionLine): void;
  /** Resolves once all lines so far would outlive a power cut. */
  durable(): Promise<void>;
  /** Lets other processes have the session. */
  close(): void;
}

/** A session's log and what it held when it was opened. */
export type KeptSession = { readonly log: SessionLog; readonly past: readonly SessionLine[] };

/** One session as a list shows it. */
export type SessionSummary = {
  readonly id: string;
  readonly name?: string;
  /** The beginning of the first thing that the user said. */
  readonly preview: string;
  readonly cwd: string;
  readonly model: string;
  readonly provider: string;
  /** ISO 8601 times. */
  readonly createdAt: string;
  readonly usedAt: string;
  readonly turns: number;
  /** How the last turn ended; `unfinished` when the program was stopped before it did. */
  readonly status: 'completed' | 'interrupted' | 'failed' | 'stopped' | 'unfinished' | 'empty';
  /** A question that nobody has answered. */
  readonly waitsFor?: string;
  readonly forkedFrom?: string;
};
