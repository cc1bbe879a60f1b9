/** The first and the last bytes of a stream of any length, in memory that does not grow with it. */

export interface HeadTail {
  write(chunk: Uint8Array): void;
  /** True when the next `size` bytes would push something out of memory. */
  wouldDrop(size: number): boolean;
  readonly bytes: number;
  head(): Buffer;
  tail(): Buffer;
}

export const HEAD_BYTES = 512 * 1024;
export const TAIL_BYTES = 512 * 1024;

const FIRST_ALLOCATION = 16 * 1024;

export function createHeadTail(): HeadTail {
  let head = Buffer.alloc(0);
  let headUsed = 0;
  let ring: Buffer | undefined;
  let ringBytes = 0;

  /** Copies into a buffer that doubles, so that a million one-byte chunks cost what one large chunk costs. */
  function appendToHead(part: Uint8Array): void {
    const needed = headUsed + part.length;
    if (needed > head.length) {
      const grown = Buffer.alloc(Math.min(HEAD_BYTES, Math.max(FIRST_ALLOCATION, head.length * 2, needed)));
      head.copy(grown, 0, 0, headUsed);
      head = grown;
    }
    head.set(part, headUsed);
    headUsed = needed;
  }

  function appendToRing(part: Uint8Array): void {
    ring ??= Buffer.alloc(TAIL_BYTES);
    const visible = part.length > TAIL_BYTES ? part.subarray(part.length - TAIL_BYTES) : part;
    ringBytes += part.length - visible.length;
    const start = ringBytes % TAIL_BYTES;
    const untilEnd = Math.min(visible.length, TAIL_BYTES - start);
    ring.set(visible.subarray(0, untilEnd), start);
    ring.set(visible.subarray(untilEnd), 0);
    ringBytes += visible.length;
  }

  return {
    write(chunk) {
      const room = Math.min(chunk.length, HEAD_BYTES - headUsed);
      if (room > 0) appendToHead(chunk.subarray(0, room));
      if (room < chunk.length) appendToRing(chunk.subarray(room));
    },
    wouldDrop: (size) => headUsed + ringBytes + size > HEAD_BYTES + TAIL_BYTES,
    get bytes() {
      return headUsed + ringBytes;
    },
    head: () => head.subarray(0, headUsed),
    tail() {
      if (ring === undefined) return Buffer.alloc(0);
      if (ringBytes <= TAIL_BYTES) return ring.subarray(0, ringBytes);
      const start = ringBytes % TAIL_BYTES;
      return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
    },
  };
}
