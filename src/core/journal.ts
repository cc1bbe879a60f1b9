/** The record of what was about to happen and what did. Written before the effect and after it, never in between. */
import type { ToolCall } from './call.js';
import type { Intent } from './effects.js';
import type { CallResult } from './outcome.js';

export interface Journal {
  /** Resolves once the intent is on record. When it throws, the call does not run. */
  intended(call: ToolCall, intent: Intent): Promise<void>;
  /** Resolves once the result is on record. Every call is settled exactly once. */
  settled(call: ToolCall, result: CallResult): Promise<void>;
}

/** Keeps the whole of an output that is too large for the model. */
export interface ArtifactStore {
  /** Opens a new artifact. Its methods throw when the disk does not take it. */
  create(label: string): ArtifactWriter;
}

export interface ArtifactWriter {
  readonly path: string;
  write(chunk: Uint8Array): void;
  close(): void;
}
