/**
 * Calls that somebody outside is told about before they are made, and where in them an address or a path is found. What
 * a pointer points to can change after it was looked at: good for telling what happened, never for permitting.
 *
 * `sendmsg` and `sendmmsg` are not watched: whether there is an address is said in memory only, and every message of
 * every connection would have to wait. Calls on an open descriptor alone (`fchmod`) name nothing and are not watched.
 */
import { NOTIFY } from './seccomp-rules.js';
import type { ArgumentIndex, Rule, Test } from './seccomp-rules.js';
import { INTERNET } from './seccomp-sockets.js';
import type { SystemCall } from './system-calls.js';

/** `connections`: to an address. `sockets`: the making of internet sockets. `paths`: whatever may change a file. */
export type Watched = 'connections' | 'sockets' | 'paths';

export function watchRules(watched: readonly Watched[]): readonly Rule[] {
  return [
    ...(watched.includes('connections') ? CONNECTION_RULES : []),
    ...(watched.includes('sockets') ? [SOCKET_RULE] : []),
    ...(watched.includes('paths') ? pathRules() : []),
  ];
}

export type WatchedArgument = {
  readonly call: SystemCall;
  /** The address or the path. A path that is nothing (`NULL`) stands for the folder's descriptor itself. */
  readonly pointer: ArgumentIndex;
  /** The descriptor of the folder from which a path is relative; absent: from the one that the process is in. */
  readonly folder?: ArgumentIndex;
  /** Of an address; a path ends by itself. */
  readonly length?: ArgumentIndex;
};

/** A call with two paths is in here twice, first with what it makes, then with what it takes. */
export const WATCHED_ARGUMENTS: readonly WatchedArgument[] = [
  { call: 'connect', pointer: 1, length: 2 },
  { call: 'sendto', pointer: 4, length: 5 },
  ...paths(0, ['open', 'creat', 'mkdir', 'rmdir', 'unlink', 'mknod', 'truncate']),
  ...paths(0, ['chmod', 'chown', 'lchown', 'utime', 'utimes']),
  ...paths(0, ['setxattr', 'lsetxattr', 'removexattr', 'lremovexattr']),
  ...paths(1, ['rename', 'link', 'symlink']),
  ...paths(0, ['rename', 'link']),
  ...pathsIn(0, ['openat', 'openat2', 'mkdirat', 'unlinkat', 'mknodat']),
  ...pathsIn(0, ['fchmodat', 'fchmodat2', 'fchownat', 'futimesat', 'utimensat']),
  ...pathsIn(0, ['setxattrat', 'removexattrat', 'file_setattr']),
  ...pathsIn(2, ['renameat', 'renameat2', 'linkat']),
  ...pathsIn(0, ['renameat', 'renameat2', 'linkat']),
  ...pathsIn(1, ['symlinkat']),
];

function paths(pointer: ArgumentIndex, calls: readonly SystemCall[]): readonly WatchedArgument[] {
  return calls.map((call) => ({ call, pointer }));
}

/** The path is always behind its folder. */
function pathsIn(folder: 0 | 1 | 2, calls: readonly SystemCall[]): readonly WatchedArgument[] {
  return calls.map((call) => ({ call, folder, pointer: (folder + 1) as ArgumentIndex }));
}

const CONNECTION_RULES: readonly Rule[] = [
  { call: 'connect', action: NOTIFY },
  // A pointer is nothing only when both its halves are.
  { call: 'sendto', when: [{ argument: 4, anyBitOf: 0xffff_ffff }], action: NOTIFY },
  { call: 'sendto', when: [{ argument: 4, half: 'high', anyBitOf: 0xffff_ffff }], action: NOTIFY },
];

const SOCKET_RULE: Rule = { call: 'socket', when: [INTERNET], action: NOTIFY };

function pathRules(): readonly Rule[] {
  const calls = new Set(WATCHED_ARGUMENTS.filter(({ length }) => length === undefined).map(({ call }) => call));
  return [...calls].map((call) => ({ call, when: WRITING_TESTS[call] ?? [], action: NOTIFY }));
}

/** `O_WRONLY`, `O_RDWR`, `O_CREAT` or `O_TRUNC`. */
const WRITING = 0o1103;

/** Opening is by far the most frequent, and mostly to read. The flags of `openat2` lie in memory. */
const WRITING_TESTS: { readonly [call in SystemCall]?: readonly Test[] } = {
  open: [{ argument: 1, anyBitOf: WRITING }],
  openat: [{ argument: 2, anyBitOf: WRITING }],
};
