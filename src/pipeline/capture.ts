/**
 * Collects what a running tool prints: both ends in memory, the whole on disk as soon as memory no longer holds
 * it, and a bounded number of deltas for whoever watches.
 */
import { messageOf } from '../core/errors.js';
import type { ArtifactStore, ArtifactWriter } from '../core/artifacts.js';
import type { Capture, Captured, Kept, OutputStream } from '../core/output.js';
import { createHeadTail } from './head-tail.js';

/** More than this of one output is not kept on disk; the note to the model says so. */
const ARTIFACT_LIMIT_BYTES = 64 * 1024 * 1024;

/** Watchers see at most this much of one call as it happens; the result itself is not affected. */
const DELTA_LIMIT_BYTES = 1024 * 1024;

export type CaptureOptions = {
  readonly label: string;
  readonly artifacts: ArtifactStore;
  readonly onDelta: (stream: OutputStream, text: string) => void;
};

export function createCapture({ label, artifacts, onDelta }: CaptureOptions): Capture {
  const ends = createHeadTail();
  const deltas = createDeltas(onDelta);
  let spill: Spill | undefined;
  let settled: Captured | undefined;

  function openSpill(): Spill {
    const opened = createSpill(artifacts, label);
    opened.write(ends.head());
    opened.write(ends.tail());
    return opened;
  }

  function settle(): Captured {
    const head = ends.head();
    const tail = ends.tail();
    // A file that was opened while the tool ran is closed now, whether or not anybody asks for it.
    let kept = spill?.close();
    return {
      head,
      tail,
      dropped: ends.bytes - head.length - tail.length,
      keepWhole: () => (kept ??= openSpill().close()),
    };
  }

  return {
    write(chunk, stream) {
      if (settled !== undefined) return;
      if (spill === undefined && ends.wouldDrop(chunk.length)) spill = openSpill();
      spill?.write(chunk);
      ends.write(chunk);
      deltas.write(chunk, stream);
    },
    get bytes() {
      return ends.bytes;
    },
    settle: () => (settled ??= settle()),
  };
}

/** Writes a whole text to disk, for output that came in one piece. */
export function keepText(artifacts: ArtifactStore, label: string, text: Uint8Array): Kept {
  const spill = createSpill(artifacts, label);
  spill.write(text);
  return spill.close();
}

type Spill = { write(chunk: Uint8Array): void; close(): Kept };

/** A disk that refuses must not fail the call: the answer then says that the whole was not kept. */
function createSpill(artifacts: ArtifactStore, label: string): Spill {
  let writer: ArtifactWriter | undefined;
  let written = 0;
  let complete = true;
  let failure: string | undefined;

  function unlessFailed(step: () => void): void {
    if (failure !== undefined) return;
    try {
      step();
    } catch (error) {
      failure = messageOf(error);
    }
  }

  return {
    write(chunk) {
      const part = chunk.subarray(0, ARTIFACT_LIMIT_BYTES - written);
      if (part.length < chunk.length) complete = false;
      if (part.length === 0) return;
      unlessFailed(() => {
        writer ??= artifacts.create(label);
        writer.write(part);
        written += part.length;
      });
    },
    close() {
      const closed = closeQuietly(writer);
      failure ??= closed;
      if (failure !== undefined || writer === undefined) return { kind: 'lost', reason: failure ?? 'it is empty' };
      return { kind: 'kept', path: writer.path, bytes: written, complete };
    },
  };
}

/** Closed also when a write has failed, or the descriptor would stay open. Gives the reason of a failure. */
function closeQuietly(writer: ArtifactWriter | undefined): string | undefined {
  try {
    writer?.close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Text for watchers, never split inside a character, cut off once it is plainly too much to watch. */
function createDeltas(onDelta: CaptureOptions['onDelta']): { write(chunk: Uint8Array, stream: OutputStream): void } {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let sent = 0;
  return {
    write(chunk, stream) {
      const part = chunk.subarray(0, DELTA_LIMIT_BYTES - sent);
      if (part.length === 0) return;
      sent += part.length;
      const text = decoders[stream].decode(part, { stream: true });
      if (text !== '') onDelta(stream, text);
    },
  };
}
