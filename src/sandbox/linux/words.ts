/** Numbers of 64 bits one after the other, as the kernel's structures have them. */
export function words(values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(value, index * 8);
  return bytes;
}
