/** What a body begins with, without losing it. */

export type Ahead = {
  /** The first character that is no space; undefined when there is none. */
  readonly first?: string;
  /** From the beginning. To be read, or closed, by whoever looked. */
  readonly all: AsyncIterable<Uint8Array>;
};

export async function lookAhead(chunks: AsyncIterable<Uint8Array>): Promise<Ahead> {
  const reader = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.next();
    if (done === true) return { all: from(held, reader) };
    held.push(value);
    const byte = value.find((each) => !PASSED_OVER.has(each));
    if (byte !== undefined) return { first: String.fromCharCode(byte), all: from(held, reader) };
  }
}

/** White space, and the mark that says which encoding it is. */
const PASSED_OVER = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

async function* from(
  held: readonly Uint8Array[],
  reader: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* held;
    for (let read = await reader.next(); read.done !== true; read = await reader.next()) yield read.value;
  } finally {
    await reader.return?.();
  }
}
