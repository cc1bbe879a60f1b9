/**
 * Collects what a running tool prints, as valid UTF-8: both ends in memory, the whole on disk as soon as memory no
 * longer holds it, and deltas for whoever watches.
 */
import { messageOf } from '../core/errors.js';
import type { ArtifactStore, ArtifactWriter } from '../core/artifacts.js';
import type { Ansi, Capture, Captured, Kept, OutputStream } from '../core/output.js';
import { createDeltas } from './deltas.js';
import type { Delta } from './deltas.js';
import { createHeadTail } from './head-tail.js';
import { createAnsiStripper } from './strip-ansi.js';
import { createCharacterJoiner } from './whole-characters.js';
import type { ByteFilter } from './whole-characters.js';

/** More than this of one command's output is not kept on disk; the note to the model says so. */
const ARTIFACT_LIMIT_BYTES = 64 * 1024 * 1024;

export type CaptureOptions = {
  readonly label: string;
  readonly artifacts: ArtifactStore;
  /** Whether escape sequences are kept. Watchers get them either way: people like colours. */
  readonly ansi: Ansi;
  readonly onDelta: (delta: Delta) => void;
};

export function createCapture(options: CaptureOptions, chain: Chain = beginChain(options)): Capture {
  const { label, artifacts, onDelta } = options;
  const { filters } = chain;
  const ends = createHeadTail();
  const deltas = createDeltas({ onDelta });
  let spill: Spill | undefined;
  let open = true;
  let settled: Captured | undefined;

  function take(text: Uint8Array, stream: OutputStream): void {
    keep(filters[stream].escapes.write(text));
    deltas.write(text, stream);
  }

  function keep(text: Uint8Array): void {
    if (spill === undefined && ends.wouldDrop(text.length)) spill = openSpill();
    spill?.write(text);
    ends.write(text);
  }

  function openSpill(): Spill {
    const opened = createSpill(artifacts, label, chain);
    opened.write(ends.head());
    opened.write(ends.tail());
    return opened;
  }

  function endFilters(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      take(filters[stream].characters.end(), stream);
      keep(filters[stream].escapes.end());
    }
  }

  function settle(): Captured {
    open = false;
    deltas.flush();
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
      if (open) take(filters[stream].characters.write(chunk), stream);
    },
    get bytes() {
      return ends.bytes;
    },
    settle() {
      if (open) endFilters();
      return (settled ??= settle());
    },
    handOver() {
      settled ??= settle();
      return createCapture(options, chain);
    },
  };
}

/** What captures share that take over from each other. */
type Chain = {
  readonly filters: Filters;
  /** Bytes on disk so far. */
  written: number;
};

function beginChain(options: CaptureOptions): Chain {
  return { filters: openFilters(options), written: 0 };
}

/** Each stream has its own: the rest of a character may come behind something of the other stream. */
type Filters = Readonly<Record<OutputStream, { readonly characters: ByteFilter; readonly escapes: ByteFilter }>>;

function openFilters({ ansi }: CaptureOptions): Filters {
  const open = (): Filters[OutputStream] => ({
    characters: createCharacterJoiner(),
    escapes: ansi === 'strip' ? createAnsiStripper() : NO_FILTER,
  });
  return { stdout: open(), stderr: open() };
}

const NO_FILTER: ByteFilter = { write: (chunk) => chunk, end: () => new Uint8Array(0) };

/** Writes a whole text to disk, for output that came in one piece. */
export function keepText(artifacts: ArtifactStore, label: string, text: Uint8Array): Kept {
  const spill = createSpill(artifacts, label, { written: 0 });
  spill.write(text);
  return spill.close();
}

type Spill = { write(chunk: Uint8Array): void; close(): Kept };

/** A disk that refuses must not fail the call: the answer then says that the whole was not kept. */
function createSpill(artifacts: ArtifactStore, label: string, chain: Pick<Chain, 'written'>): Spill {
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
      const part = chunk.subarray(0, ARTIFACT_LIMIT_BYTES - chain.written);
      if (part.length < chunk.length) complete = false;
      if (part.length === 0) return;
      unlessFailed(() => {
        writer ??= artifacts.create(label);
        writer.write(part);
        written += part.length;
        chain.written += part.length;
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
