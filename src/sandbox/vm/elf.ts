/** Whether a program asks for a loader, and so for libraries that the first file system of a guest does not have. */

const ELF_MAGIC = 0x7f454c46;
const PT_INTERP = 3;

/** Anything that is not a 64-bit little-endian program counts as needing one. */
export function hasInterpreter(program: Buffer): boolean {
  if (program.length < 64 || program.readUInt32BE(0) !== ELF_MAGIC) return true;
  if (program[4] !== 2 || program[5] !== 1) return true;
  const table = Number(program.readBigUInt64LE(32));
  const size = program.readUInt16LE(54);
  const count = program.readUInt16LE(56);
  const starts = Array.from({ length: count }, (_, index) => table + index * size);
  return starts.some((start) => start + 4 > program.length || program.readUInt32LE(start) === PT_INTERP);
}
