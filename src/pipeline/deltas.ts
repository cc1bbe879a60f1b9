/**
 * What watchers hear of an output while it is printed: at once when it begins or goes on after a pause, otherwise in
 * batches of bounded size and number, so that no program can drown them, however long it runs.
 */
import type { OutputStream } from '../core/output.js';
import { firstBytes } from '../core/utf8.js';

export const DELTA_INTERVAL_MS = 50;
export const DELTA_BATCH_BYTES = 64 * 1024;
/** Streams that take turns byte by byte would make a delta of each. */
const MOST_DELTAS = 64;

export type Delta = {
  readonly stream: OutputStream;
  readonly text: string;
  /** Bytes of output, of either stream, that are left out right after this text. */
  readonly omitted?: number;
};

export interface Deltas {
  /** Takes whole characters only. */
  write(chunk: Uint8Array, stream: OutputStream): void;
  /** Tells what is pending and leaves no timer behind. */
  flush(): void;
}

export type DeltaOptions = {
  readonly onDelta: (delta: Delta) => void;
  /** Runs something later, unless the returned function is called before. */
  readonly schedule?: (ms: number, run: () => void) => () => void;
};

export function createDeltas({ onDelta, schedule = runLater }: DeltaOptions): Deltas {
  let batch = createBatch();
  let cancelWait: (() => void) | undefined;

  function tell(): void {
    const { deltas } = batch;
    batch = createBatch();
    for (const delta of deltas) onDelta(delta);
  }

  function tellThenWait(): void {
    cancelWait = batch.deltas.length === 0 ? undefined : schedule(DELTA_INTERVAL_MS, tellThenWait);
    tell();
  }

  return {
    write(chunk, stream) {
      batch.add(chunk, stream);
      if (cancelWait === undefined) tellThenWait();
    },
    flush() {
      cancelWait?.();
      cancelWait = undefined;
      tell();
    },
  };
}

/** Watching keeps no program alive. */
function runLater(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

type Batch = { readonly deltas: readonly Delta[]; add(chunk: Uint8Array, stream: OutputStream): void };

function createBatch(): Batch {
  const deltas: { readonly stream: OutputStream; text: string; omitted?: number }[] = [];
  let room = DELTA_BATCH_BYTES;

  function append(text: string, stream: OutputStream): void {
    const last = deltas.at(-1);
    if (last?.stream === stream) last.text += text;
    else deltas.push({ stream, text });
    if (deltas.length === MOST_DELTAS) room = 0;
  }

  function omit(bytes: number): void {
    const last = deltas.at(-1);
    if (last !== undefined) last.omitted = (last.omitted ?? 0) + bytes;
    // Behind a gap nothing more is told, or the gap would not be where it is said to be.
    room = 0;
  }

  return {
    deltas,
    add(chunk, stream) {
      const part = firstBytes(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length), room);
      room -= part.length;
      if (part.length > 0) append(part.toString(), stream);
      if (part.length < chunk.length) omit(chunk.length - part.length);
    },
  };
}
