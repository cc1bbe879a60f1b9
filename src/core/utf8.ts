/** Cutting UTF-8 bytes without leaving half a character behind. Bytes that are not UTF-8 lose at most three. */

export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** At most the first `length` bytes. */
export function firstBytes(text: Buffer, length: number): Buffer {
  if (length >= text.length) return text;
  let end = length;
  for (let back = 0; back < 3 && end > 0 && isContinuation(text[end]); back += 1) end -= 1;
  return text.subarray(0, end);
}

/** At most the last `length` bytes. */
export function lastBytes(text: Buffer, length: number): Buffer {
  return length >= text.length ? text : fromCharacter(text.subarray(text.length - length));
}

/** The same bytes from the first character that begins in them. */
export function fromCharacter(text: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(text[start])) start += 1;
  return text.subarray(start);
}
