/** Bytes that are only ever added to. What was handed out stays as it is, so that a request can be sent from it. */

export interface ByteLog {
  /** All so far. */
  readonly bytes: Uint8Array;
  readonly length: number;
  append(text: string): void;
}

const FIRST_CAPACITY = 64 * 1024;
const GROWTH = 4;
/** Of one unit of a string, in UTF-8. */
const MOST_BYTES = 3;

export function createByteLog(): ByteLog {
  let store = Buffer.allocUnsafe(FIRST_CAPACITY);
  let length = 0;

  /** Several times as large each time, so that little is ever copied; what is not written to is not there yet. */
  function makeRoom(more: number): void {
    if (length + more <= store.length) return;
    const larger = Buffer.allocUnsafe(Math.max(GROWTH * store.length, length + more));
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
      makeRoom(text.length * MOST_BYTES);
      length += store.write(text, length);
    },
  };
}
