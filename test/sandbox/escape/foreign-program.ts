/** A program of its own few bytes, for what no interpreter can be asked to do. */

/** Asks the kernel for its number by the door for programs of 32 bits, and ends well if that was possible. */
export function foreignProgram(): Buffer {
  const code = Buffer.concat([
    Buffer.from([0xb8, 20, 0, 0, 0]), // mov eax, getpid
    Buffer.from([0xcd, 0x80]), // int 0x80
    Buffer.from([0xb8, 231, 0, 0, 0]), // mov eax, exit_group
    Buffer.from([0x31, 0xff]), // xor edi, edi
    Buffer.from([0x0f, 0x05]), // syscall
  ]);
  const head = Buffer.alloc(ELF_HEAD + PROGRAM_HEAD);
  head.write('\u007fELF', 0, 'latin1');
  head.set([2, 1, 1], 4);
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(62, 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BASE + BigInt(head.length), 24);
  head.writeBigUInt64LE(BigInt(ELF_HEAD), 32);
  head.writeUInt16LE(ELF_HEAD, 52);
  head.writeUInt16LE(PROGRAM_HEAD, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(1, ELF_HEAD);
  head.writeUInt32LE(5, ELF_HEAD + 4);
  head.writeBigUInt64LE(BASE, ELF_HEAD + 16);
  for (const at of [32, 40]) head.writeBigUInt64LE(BigInt(head.length + code.length), ELF_HEAD + at);
  head.writeBigUInt64LE(4096n, ELF_HEAD + 48);
  return Buffer.concat([head, code]);
}

const ELF_HEAD = 64;
const PROGRAM_HEAD = 56;
const BASE = 0x400000n;
