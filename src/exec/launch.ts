/** A command that is ready to be started: its environment is decided. */
import type { OutputStream } from '../core/output.js';
import type { TerminalSize } from '../core/workspace.js';
import type { Pipe } from './pipe-supply.js';

export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it gets from 3 on. */
  readonly descriptors?: readonly number[];
  readonly onOutput: (chunk: Uint8Array, stream: OutputStream) => void;
  /** Whether the listener keeps nothing of what it gets. */
  readonly lendsOutput?: boolean;
};

/** Without a pipe, each stream gets one that Node makes. */
export type PipeLaunch = Launch & {
  readonly input: 'closed' | 'open';
  readonly pipe: Pipe | undefined;
  /** Memory that all output is read into, piece by piece. */
  readonly portion: Buffer;
};
export type TerminalLaunch = Launch & { readonly terminal: TerminalSize };

/** After a kill, output may be held by grandchildren that are dying too. */
export const DRAIN_AFTER_KILL_MS = 2_000;

/** The program leads a group of its own, so this reaches what it started too. False when nobody is left. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (leader === undefined) return false;
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
