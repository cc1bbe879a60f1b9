/** Bytes that are only ever added to. What was handed out stays as it is, so that a request can be sent from it. */

export interface ByteLog {
  /** All so far. */
  readonly bytes: Uint8Array;
  readonly length: number;
  append(text: string): void;
}

const FIRST_CAPACITY = 64 * 1024;

export function createByteLog(): ByteLog {
  let store = Buffer.allocUnsafe(FIRST_CAPACITY);
  let length = 0;

  /** Twice as large each time, so that adding costs the same however much there is. */
  function makeRoom(more: number): void {
    if (length + more <= store.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * store.length, length + more));
    store.copy(larger, 0, 0, length);
    store = larger;
  }

  return {
    get bytes() {
      return store.subarray(0, length);
    },
    get length() {
      return length;
    },
    append(text) {
      const size = Buffer.byteLength(text);
      makeRoom(size);
      store.write(text, length);
      length += size;
    },
  };
}
