/** Keeps the end of what a command prints, for whoever has to tell why it failed. */
export interface OutputTail {
  add(chunk: Uint8Array): void;
  text(): string;
}

const MOST_BYTES = 64 * 1024;

export function createOutputTail(): OutputTail {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      // What was lent is used again; of a long one only its end counts.
      const end = Buffer.from(chunk.subarray(-MOST_BYTES));
      chunks.push(end);
      bytes += end.length;
      // Twice the room, so that joining them is rare.
      if (bytes <= 2 * MOST_BYTES) return;
      chunks = [Buffer.concat(chunks).subarray(-MOST_BYTES)];
      bytes = MOST_BYTES;
    },
    text: () => Buffer.concat(chunks).subarray(-MOST_BYTES).toString(),
  };
}
