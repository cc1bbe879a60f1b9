/**
 * What the host and the agent in the guest say to each other. A frame is its length (4 bytes, big-endian, of what follows),
 * its kind (1 byte), the id of the command it is about (4 bytes), and a payload. The guest is not trusted: a frame that
 * is too long or too short is an error, never a guess.
 */

export const FRAME_KINDS = {
  start: 1,
  signal: 2,
  ready: 16,
  stdout: 17,
  stderr: 18,
  exited: 19,
  signalled: 20,
  not_started: 21,
} as const;

export type FrameKind = keyof typeof FRAME_KINDS;

export type Frame = { readonly kind: FrameKind; readonly id: number; readonly payload: Uint8Array };

export interface FrameDecoder {
  /** The frames that a chunk completes. Throws at what is no frame, and at everything after it. */
  push(chunk: Uint8Array): readonly Frame[];
}

/** Room for the longest command line that a kernel takes. */
export const MOST_PAYLOAD_BYTES = 4 * 1024 * 1024;

const LENGTH_BYTES = 4;
const HEAD_BYTES = 5;

export function encodeFrame({ kind, id, payload }: Frame): Uint8Array {
  if (payload.length > MOST_PAYLOAD_BYTES) throw new RangeError(`a frame holds at most ${MOST_PAYLOAD_BYTES} bytes`);
  const bytes = Buffer.alloc(LENGTH_BYTES + HEAD_BYTES + payload.length);
  bytes.writeUInt32BE(HEAD_BYTES + payload.length, 0);
  bytes.writeUInt8(FRAME_KINDS[kind], LENGTH_BYTES);
  bytes.writeUInt32BE(id, LENGTH_BYTES + 1);
  bytes.set(payload, LENGTH_BYTES + HEAD_BYTES);
  return bytes;
}

export function createFrameDecoder(): FrameDecoder {
  let chunks: Uint8Array[] = [];
  let waiting = 0;
  let needed = LENGTH_BYTES;

  /** Takes what is there, once it is known to be enough. What is wrong stays there, and so does the error. */
  function takeFrames(): readonly Frame[] {
    const bytes = Buffer.concat(chunks);
    const frames: Frame[] = [];
    let at = 0;
    needed = LENGTH_BYTES;
    while (bytes.length - at >= LENGTH_BYTES) {
      const length = checkedLength(bytes.readUInt32BE(at));
      needed = LENGTH_BYTES + length;
      if (bytes.length - at < needed) break;
      frames.push(decodeFrame(bytes.subarray(at + LENGTH_BYTES, at + needed)));
      at += needed;
      needed = LENGTH_BYTES;
    }
    chunks = at === bytes.length ? [] : [bytes.subarray(at)];
    waiting = bytes.length - at;
    return frames;
  }

  return {
    push(chunk) {
      chunks.push(chunk);
      waiting += chunk.length;
      return waiting < needed ? [] : takeFrames();
    },
  };
}

function checkedLength(length: number): number {
  if (length >= HEAD_BYTES && length <= HEAD_BYTES + MOST_PAYLOAD_BYTES) return length;
  throw new RangeError(`the guest sent a frame of ${length} bytes`);
}

function decodeFrame(bytes: Buffer): Frame {
  const kind = KINDS.get(bytes.readUInt8(0));
  if (kind === undefined) throw new RangeError(`the guest sent a frame of kind ${bytes.readUInt8(0)}`);
  // A copy, so that whoever keeps it does not keep what came with it.
  return { kind, id: bytes.readUInt32BE(1), payload: new Uint8Array(bytes.subarray(HEAD_BYTES)) };
}

const KINDS: ReadonlyMap<number, FrameKind> = new Map(
  Object.entries(FRAME_KINDS).map(([name, number]) => [number, name as FrameKind]),
);
