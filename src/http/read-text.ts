/** A body as text, up to a number of bytes; what comes after them is not read. */
export async function readText(chunks: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = most;
  for await (const chunk of chunks) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}
