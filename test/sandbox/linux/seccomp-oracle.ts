/** What the filters should answer, said once more in plain code and with numbers written down by hand. */
import type { FilterOptions } from '../../../src/sandbox/linux/seccomp.js';
import type { Watched } from '../../../src/sandbox/linux/seccomp-watched.js';
import type { Architecture } from '../../../src/sandbox/linux/system-calls.js';

export type Answer = 'allow' | 'EPERM' | 'ENOSYS' | 'kill' | 'notify';

export const MARKS = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 } as const;

/** A call as the kernel sees it. */
export type OracleCall = { readonly number: number; readonly mark: number; readonly arguments: readonly bigint[] };

/** Of a call's number to the place of its mode. */
type ModePlaces = Readonly<Record<number, number>>;

type Numbers = {
  readonly denied: readonly number[];
  readonly paths: readonly number[];
  readonly modes: ModePlaces;
  readonly nodes: ModePlaces;
} & Readonly<Record<SingleCall, number>>;

type SingleCall =
  | 'clone'
  | 'ioctl'
  | 'personality'
  | 'socket'
  | 'socketpair'
  | 'seccomp'
  | 'open'
  | 'openat'
  | 'openat2'
  | 'connect'
  | 'sendto';

const X64: Numbers = {
  denied: [
    101, 103, 134, 136, 139, 153, 154, 155, 156, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175,
    176, 179, 180, 212, 227, 246, 248, 249, 250, 256, 272, 279, 298, 300, 301, 304, 305, 308, 310, 311, 312, 313, 320,
    321, 323, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443, 460, 467,
  ],
  clone: 56,
  ioctl: 16,
  personality: 135,
  socket: 41,
  socketpair: 53,
  seccomp: 317,
  open: 2,
  openat: 257,
  openat2: 437,
  modes: { 90: 1, 91: 1, 268: 2, 452: 2, 85: 1 },
  nodes: { 133: 1, 259: 2 },
  connect: 42,
  sendto: 44,
  paths: [
    76, 82, 83, 84, 85, 86, 87, 88, 90, 92, 94, 132, 133, 188, 189, 197, 198, 235, 258, 259, 260, 261, 263, 264, 265,
    266, 268, 280, 316, 437, 452, 463, 466, 469,
  ],
};

const ARM64: Numbers = {
  denied: [
    18, 39, 40, 41, 42, 51, 58, 60, 89, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 170, 171, 217, 218, 219, 224,
    225, 238, 239, 241, 262, 263, 265, 266, 268, 270, 271, 272, 273, 280, 282, 294, 425, 426, 427, 428, 429, 430, 431,
    432, 433, 438, 442, 443, 460, 467,
  ],
  clone: 220,
  ioctl: 29,
  personality: 92,
  socket: 198,
  socketpair: 199,
  seccomp: 277,
  open: -1,
  openat: 56,
  openat2: 437,
  modes: { 52: 1, 53: 2, 452: 2 },
  nodes: { 33: 2 },
  connect: 203,
  sendto: 206,
  paths: [5, 6, 14, 15, 33, 34, 35, 36, 37, 38, 45, 53, 54, 88, 276, 437, 452, 463, 466, 469],
};

/** Numbers for which an answer depends on more than the number. */
export function interestingNumbers(architecture: Architecture): readonly number[] {
  const { modes, nodes, ...table } = architecture === 'x64' ? X64 : ARM64;
  const single = Object.values(table).filter((value) => typeof value === 'number' && value >= 0);
  return [...single.flat(), ...Object.keys(modes).map(Number), ...Object.keys(nodes).map(Number)];
}

export function expectedAnswer(options: FilterOptions, call: OracleCall): Answer {
  const { number, mark } = call;
  const table = options.architecture === 'x64' ? X64 : ARM64;
  if (mark !== MARKS[options.architecture]) return 'kill';
  if (number > 469 || number < 0 || number === 435) return 'ENOSYS';
  if (table.denied.includes(number)) return 'EPERM';
  const word = (index: number) => Number((call.arguments[index] ?? 0n) & 0xffffffffn);
  if (number === table.clone) return (word(0) & 0x7e020000) === 0 ? 'allow' : 'EPERM';
  if (number === table.ioctl) return [0x5412, 0x541c, 0x541d, 0x5423].includes(word(1)) ? 'EPERM' : 'allow';
  if (number === table.personality) return [0, 0x40000, 0xffffffff].includes(word(0)) ? 'allow' : 'EPERM';
  if (number === table.socket) return expectedSocket(options, word(0), word(1), word(2));
  if (number === table.socketpair) return expectedPair(options, word(0), word(1));
  if (number === table.seccomp && options.sockets === 'reported')
    return word(0) === 1 && Math.floor(word(1) / 8) % 2 === 1 ? 'EPERM' : 'allow';
  return options.guardModes ? expectedForModes(options.architecture, number, word) : 'allow';
}

function expectedSocket(options: FilterOptions, family: number, type: number, protocol: number): Answer {
  const { sockets, unixSockets } = options;
  const raw = [3, 10].includes(type % 16);
  switch (family) {
    case 1:
      return unixSockets ? 'allow' : 'EPERM';
    case 2:
    case 10:
      return sockets === 'none' || raw ? 'EPERM' : 'allow';
    case 16:
      return protocol === 0 && ['open', 'all-namespaced'].includes(sockets) ? 'allow' : 'EPERM';
    default:
      return 'EPERM';
  }
}

function expectedPair({ unixSockets }: FilterOptions, family: number, type: number): Answer {
  if (family !== 1) return 'EPERM';
  return unixSockets || [1, 5].includes(type % 16) ? 'allow' : 'EPERM';
}

function expectedForModes(architecture: Architecture, number: number, word: (index: number) => number): Answer {
  const table = architecture === 'x64' ? X64 : ARM64;
  const isSpecial = (mode: number) => (mode & 0o4000) !== 0 || (mode & 0o2000) !== 0;
  const isCreating = (flags: number) => (flags & 0o100) !== 0 || (flags & 0o20000000) !== 0;
  const modeAt = table.modes[number] ?? table.nodes[number];
  if (number === table.openat2) return 'ENOSYS';
  if (number === table.open) return isCreating(word(1)) && isSpecial(word(2)) ? 'EPERM' : 'allow';
  if (number === table.openat) return isCreating(word(2)) && isSpecial(word(3)) ? 'EPERM' : 'allow';
  if (modeAt === undefined) return 'allow';
  if (isSpecial(word(modeAt))) return 'EPERM';
  const type = Math.floor(word(modeAt) / 0o10000) % 16;
  return number in table.nodes && (type === 2 || type === 6) ? 'EPERM' : 'allow';
}

export function expectedNotice(architecture: Architecture, watched: readonly Watched[], call: OracleCall): Answer {
  const { number, mark } = call;
  const table = architecture === 'x64' ? X64 : ARM64;
  if (mark !== MARKS[architecture]) return 'allow';
  const isNoticed = {
    connections: number === table.connect || (number === table.sendto && call.arguments[4] !== 0n),
    sockets: number === table.socket && [2n, 10n].includes((call.arguments[0] ?? 0n) & 0xffffffffn),
    paths:
      table.paths.includes(number) ||
      (number === table.open && isWriting(call.arguments[1])) ||
      (number === table.openat && isWriting(call.arguments[2])),
  };
  return watched.some((each) => isNoticed[each]) ? 'notify' : 'allow';
}

function isWriting(flags: bigint | undefined): boolean {
  return [1n, 2n, 0o100n, 0o1000n].some((flag) => ((flags ?? 0n) & flag) !== 0n);
}
