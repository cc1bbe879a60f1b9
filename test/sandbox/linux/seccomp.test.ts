import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compileFilter, compileNotifyFilter } from '../../../src/sandbox/linux/seccomp.js';
import type { FilterOptions } from '../../../src/sandbox/linux/seccomp.js';
import { WATCHED_ARGUMENTS } from '../../../src/sandbox/linux/seccomp-watched.js';
import type { Watched } from '../../../src/sandbox/linux/seccomp-watched.js';
import {
  findSystemCall,
  NEWEST_SYSTEM_CALL,
  SYSTEM_CALLS,
  systemCall,
} from '../../../src/sandbox/linux/system-calls.js';
import type { Architecture, SystemCall } from '../../../src/sandbox/linux/system-calls.js';
import { disassemble, loadFilter } from '../../support/bpf-machine.js';
import { propertyRuns } from '../../support/property-runs.js';
import { tempFolder } from '../../support/temp-folder.js';
import { expectedAnswer, expectedNotice, interestingNumbers, MARKS } from './seccomp-oracle.js';
import type { Answer, OracleCall } from './seccomp-oracle.js';

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64'];
const NAMES = Object.keys(SYSTEM_CALLS) as readonly SystemCall[];

describe('the table of system calls', () => {
  test('gives numbers, and throws for what an architecture does not have', () => {
    expect([systemCall('openat', 'x64'), systemCall('openat', 'arm64'), systemCall('open', 'x64')]).toEqual([
      257, 56, 2,
    ]);
    expect(() => systemCall('open', 'arm64')).toThrow('arm64 has no system call open');
    expect(() => systemCall('toString' as SystemCall, 'x64')).toThrow(RangeError);
    expect(findSystemCall('mknod', 'arm64')).toBeUndefined();
  });

  test.each(ARCHITECTURES)('has no number of %s twice, and none above the newest', (architecture) => {
    const numbers = NAMES.flatMap((name) => findSystemCall(name, architecture) ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.max(...numbers)).toBe(systemCall(NEWEST_SYSTEM_CALL, architecture));
  });

  const headers = {
    x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
    arm64: '/usr/include/asm-generic/unistd.h',
  } as const;

  test.each(ARCHITECTURES.filter((each) => existsSync(headers[each])))('says for %s what the system does', (each) => {
    const text = readFileSync(headers[each], 'utf8');
    const found = new Map(
      [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(([, name = '', number]) => [
        name,
        Number(number),
      ]),
    );
    // The one name that is made from another there.
    if (each === 'arm64') found.set('newfstatat', found.get('fstatat') ?? -1);
    expect(found.size).toBeGreaterThan(250);
    const newest = Math.max(...[...found].filter(([name]) => name !== 'syscalls').map(([, number]) => number));
    const known = NAMES.filter((name) => (findSystemCall(name, each) ?? 0) <= newest);
    expect(known.map((name) => [name, findSystemCall(name, each)])).toEqual(
      known.map((name) => [name, found.get(name)]),
    );
  });
});

const ANSWERS: Readonly<Record<number, Answer>> = {
  0x7fff0000: 'allow',
  0x50001: 'EPERM',
  0x50026: 'ENOSYS',
  0x80000000: 'kill',
  0x7fc00000: 'notify',
};

function filterOf(program: Uint8Array): (call: OracleCall) => Answer | number {
  const run = loadFilter(program);
  return ({ number, mark, arguments: given }) => {
    const value = run({ number, architecture: mark, arguments: given });
    return ANSWERS[value] ?? value;
  };
}

const OPTION_SETS: readonly FilterOptions[] = ARCHITECTURES.flatMap((architecture) =>
  (['all-namespaced', 'none', 'open', 'reported'] as const).flatMap((sockets) =>
    [false, true].flatMap((unixSockets) =>
      [false, true].map((guardModes) => ({ architecture, sockets, unixSockets, guardModes })),
    ),
  ),
);

const WATCHED_SETS: readonly (readonly Watched[])[] = [
  [],
  ['connections'],
  ['sockets'],
  ['paths'],
  ['connections', 'sockets', 'paths'],
];

const FAR_NUMBERS = [0x40000000, 0x40000029, 0x40000208, 0x7fffffff, 0x80000000, 0xffffffff];
const NUMBERS = [...Array.from({ length: 601 }, (_, number) => number), ...FAR_NUMBERS];

/** Families, kinds and protocols; modes and flags of files; requests, flags of `clone`, personalities. */
const LOW_WORDS = [
  [0, 1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 38, 40, 0x80802, 0x80803, 0x80002],
  [0o755, 0o2755, 0o4755, 0o6777, 0o60644, 0o20644, 0o100644, 0o104755, 0o10000],
  [0o100, 0o1000, 0o2000000, 0o20200002, 0x40000, 0x40001],
  [0x5401, 0x5412, 0x541c, 0x541d, 0x5423, 0x80, 0x20000, 0x01200011, 0x02000000, 0x04000000],
  [0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x80000000, 0xffffffff],
].flat();
/** None of it should count where an `int` is meant. */
const HIGH_WORDS = [0n, 1n, 0xffffffffn];

/** Families, kinds, flags and modes that matter together. */
const PAIRED_WORDS = [0, 1, 2, 3, 5, 8, 10, 16, 0o101, 0o20200002, 0o4755, 0o2644, 0o60644, 0x80803].map(BigInt);

/** Every word in every place, and pairs of some in neighbouring places. */
function cornersOf(number: number, mark: number): readonly OracleCall[] {
  const words = LOW_WORDS.flatMap((low) => HIGH_WORDS.map((high) => (high << 32n) | BigInt(low)));
  const call = (places: Readonly<Record<number, bigint>>): OracleCall => ({
    number,
    mark,
    arguments: [0, 1, 2, 3, 4, 5].map((index) => places[index] ?? 0n),
  });
  const single = [0, 1, 2, 3, 4, 5].flatMap((index) => words.map((word) => call({ [index]: word })));
  const pairs = PAIRED_WORDS.flatMap((one) =>
    PAIRED_WORDS.flatMap((two) => [
      call({ 0: one, 1: two }),
      call({ 0: one, 2: two }),
      call({ 1: one, 2: two }),
      call({ 2: one, 3: two }),
    ]),
  );
  return [...single, ...pairs];
}

describe('the filter', () => {
  test('answers every number of every architecture as it should', () => {
    for (const options of OPTION_SETS) {
      const filter = filterOf(compileFilter(options));
      const calls = Object.values(MARKS).flatMap((mark) =>
        NUMBERS.map((number): OracleCall => ({ number, mark, arguments: [] })),
      );
      const wrong = calls.filter((call) => filter(call) !== expectedAnswer(options, call));
      expect({ options, wrong }).toEqual({ options, wrong: [] });
    }
  });

  test('answers corners of arguments as it should', () => {
    const corners = {
      x64: interestingNumbers('x64').flatMap((number) => cornersOf(number, MARKS.x64)),
      arm64: interestingNumbers('arm64').flatMap((number) => cornersOf(number, MARKS.arm64)),
    };
    for (const options of OPTION_SETS) {
      const filter = filterOf(compileFilter(options));
      const calls = corners[options.architecture];
      const wrong = calls.filter((call) => filter(call) !== expectedAnswer(options, call));
      expect({ options, wrong: wrong.slice(0, 5) }).toEqual({ options, wrong: [] });
    }
  });

  test('answers whatever comes as it should', () => {
    const filters = new Map(OPTION_SETS.map((options) => [options, filterOf(compileFilter(options))]));
    fc.assert(
      fc.property(fc.constantFrom(...OPTION_SETS), fc.nat(2 ** 31), (options, seed) => {
        const [call] = fc.sample(anyCall(options.architecture), { numRuns: 1, seed });
        if (call) expect(filters.get(options)?.(call)).toBe(expectedAnswer(options, call));
      }),
      propertyRuns(2000),
    );
  });

  test('is not misled by the upper half of an argument', () => {
    const options = { architecture: 'x64', sockets: 'all-namespaced', unixSockets: false, guardModes: true } as const;
    const filter = filterOf(compileFilter(options));
    const answerTo = (name: SystemCall, ...given: readonly bigint[]) =>
      filter({ number: systemCall(name, 'x64'), mark: MARKS.x64, arguments: given });
    const high = 1n << 32n;
    expect([
      answerTo('socket', high | 40n, 1n, 0n),
      answerTo('socket', high | 2n, high | 3n, 0n),
      answerTo('socket', high | 16n, 3n, high | 15n),
      answerTo('ioctl', 0n, high | 0x5412n),
      answerTo('clone', high | 0x10000000n),
      answerTo('chmod', 0n, high | 0o4755n),
      answerTo('personality', high | 8n),
    ]).toEqual(Array.from({ length: 7 }, () => 'EPERM'));
    expect([
      answerTo('socket', high | 2n, 1n),
      answerTo('socket', 10n, 0x80801n),
      answerTo('clone', 0x7e020000n << 32n),
      answerTo('ioctl', 0n, 0x5412n << 32n),
      answerTo('chmod', 0n, 0o4755n << 32n),
    ]).toEqual(Array.from({ length: 5 }, () => 'allow'));
  });
});

function anyCall(architecture: Architecture): fc.Arbitrary<OracleCall> {
  const own = MARKS[architecture];
  const argument = fc
    .tuple(fc.constantFrom(...HIGH_WORDS), fc.oneof(fc.constantFrom(...LOW_WORDS), fc.nat(0xffffffff)))
    .map(([high, low]) => (high << 32n) | BigInt(low));
  return fc.record({
    number: fc.oneof(fc.constantFrom(...interestingNumbers(architecture)), fc.constantFrom(...NUMBERS)),
    mark: fc.oneof({ weight: 9, arbitrary: fc.constant(own) }, { weight: 1, arbitrary: fc.nat(0xffffffff) }),
    arguments: fc.array(argument, { minLength: 6, maxLength: 6 }),
  });
}

describe('the filter that only reports', () => {
  test('reports what is watched and allows everything else', () => {
    for (const architecture of ARCHITECTURES)
      for (const calls of WATCHED_SETS) {
        const filter = filterOf(compileNotifyFilter({ architecture, calls }));
        const seen = [
          ...Object.values(MARKS).flatMap((mark) =>
            NUMBERS.map((number): OracleCall => ({ number, mark, arguments: [0n, 0n, 0n, 0n, 0n, 0n] })),
          ),
          ...interestingNumbers(architecture).flatMap((number) => cornersOf(number, MARKS[architecture])),
        ];
        const wrong = seen.filter((call) => filter(call) !== expectedNotice(architecture, calls, call));
        expect({ architecture, calls, wrong: wrong.slice(0, 5) }).toEqual({ architecture, calls, wrong: [] });
      }
  });

  test('is short enough to be read', () => {
    const program = compileNotifyFilter({ architecture: 'arm64', calls: ['connections', 'sockets'] });
    expect(`\n${disassemble(program)}\n`).toMatchInlineSnapshot(`
      "
      0: load architecture
      1: equal 0xc00000b7 ? 3 : 2
      2: return 0x7fff0000
      3: load number
      4: greater 0x1d5 ? 5 : 6
      5: return 0x7fff0000
      6: equal 0xcb ? 7 : 8
      7: return 0x7fc00000
      8: equal 0xce ? 9 : 12
      9: load argument 4 low
      10: any bit 0xffffffff ? 11 : 12
      11: return 0x7fc00000
      12: load number
      13: equal 0xce ? 14 : 17
      14: load argument 4 high
      15: any bit 0xffffffff ? 16 : 17
      16: return 0x7fc00000
      17: load number
      18: equal 0xc6 ? 19 : 23
      19: load argument 0 low
      20: equal 0x2 ? 22 : 21
      21: equal 0xa ? 22 : 23
      22: return 0x7fc00000
      23: load number
      24: return 0x7fff0000
      "
    `);
  });

  test('says for each watched call where its address or path is', () => {
    const lines = WATCHED_ARGUMENTS.map(
      ({ call, pointer, folder, length }) => `${call} ${folder ?? '-'} ${pointer} ${length ?? '-'}`,
    );
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "connect - 1 2
      sendto - 4 5
      open - 0 -
      creat - 0 -
      mkdir - 0 -
      rmdir - 0 -
      unlink - 0 -
      mknod - 0 -
      truncate - 0 -
      chmod - 0 -
      chown - 0 -
      lchown - 0 -
      utime - 0 -
      utimes - 0 -
      setxattr - 0 -
      lsetxattr - 0 -
      removexattr - 0 -
      lremovexattr - 0 -
      rename - 1 -
      link - 1 -
      symlink - 1 -
      rename - 0 -
      link - 0 -
      openat 0 1 -
      openat2 0 1 -
      mkdirat 0 1 -
      unlinkat 0 1 -
      mknodat 0 1 -
      fchmodat 0 1 -
      fchmodat2 0 1 -
      fchownat 0 1 -
      futimesat 0 1 -
      utimensat 0 1 -
      setxattrat 0 1 -
      removexattrat 0 1 -
      file_setattr 0 1 -
      renameat 2 3 -
      renameat2 2 3 -
      linkat 2 3 -
      renameat 0 1 -
      renameat2 0 1 -
      linkat 0 1 -
      symlinkat 1 2 -"
    `);
  });
});

/** Loads filters into itself, with a listener where the flags ask for one, then runs the lines it was given. */
const PROBE = `
import base64, ctypes, errno, json, os, select, socket, sys, tempfile
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
given = json.load(sys.stdin)
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
def call(number, *args):
    words = [ctypes.c_char_p(each.encode()) if isinstance(each, str) else ctypes.c_ulong(each) for each in args]
    result = libc.syscall(ctypes.c_long(number), *words)
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]
def name(result):
    return result if isinstance(result, str) else 'ok'
def load(encoded, flags):
    code = base64.b64decode(encoded)
    held = ctypes.create_string_buffer(code, len(code))
    program = Program(len(code) // 8, ctypes.cast(held, ctypes.c_void_p).value)
    return call(given['seccomp'], 1, flags, ctypes.addressof(program))
def attempt(action):
    try:
        action()
        return 'ok'
    except OSError as error:
        return errno.errorcode[error.errno]
assert libc.prctl(38, 1, 0, 0, 0) == 0
results = []
SCRIPT
print(json.dumps(results))
`;

type Loaded = { readonly program: Uint8Array; readonly flags?: number };

function probe(filters: readonly Loaded[], script: string, extra: object = {}) {
  const input = JSON.stringify({
    seccomp: systemCall('seccomp', HERE),
    filters: filters.map(({ program, flags = 0 }) => [Buffer.from(program).toString('base64'), flags]),
    ...extra,
  });
  const lines = PROBE.replace('SCRIPT', () => script);
  const { stdout, stderr, signal } = spawnSync('python3', ['-I', '-S', '-c', lines], { input, encoding: 'utf8' });
  return { results: stdout === '' ? [] : (JSON.parse(stdout) as readonly unknown[]), stderr, signal };
}

const HERE: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const canProbe =
  process.platform === 'linux' &&
  (process.arch === 'x64' || process.arch === 'arm64') &&
  spawnSync('python3', ['-c', 'import ctypes']).status === 0;

type Probe = readonly [expected: string, call: SystemCall, ...given: (number | string)[]];

const LOAD_ALL = `listeners = [load(*each) for each in given['filters']]`;

describe.skipIf(!canProbe)('a real kernel', () => {
  const options = { architecture: HERE, sockets: 'all-namespaced', unixSockets: false, guardModes: true } as const;

  test('refuses what the filter refuses and does the rest', () => {
    const file = path.join(tempFolder(), 'file');
    const here = 0xffffff9c;
    const probes: readonly Probe[] = [
      ['ok', 'socket', 2, 1, 0],
      ['ok', 'socket', 10, 2, 0],
      ['ok', 'socket', 16, 3, 0],
      ['EPERM', 'socket', 16, 3, 15],
      ['EPERM', 'socket', 1, 1, 0],
      ['EPERM', 'socket', 40, 1, 0],
      ['EPERM', 'socket', 2, 3, 1],
      ['EPERM', 'socket', 2 ** 32 + 40, 1, 0],
      ['EPERM', 'unshare', 0x10000000],
      ['EPERM', 'clone', 0x10000011, 0, 0, 0, 0],
      ['ENOSYS', 'clone3', 0, 0],
      ['EPERM', 'openat', here, file, 0o101, 0o4755],
      ['ok', 'openat', here, file, 0o101, 0o755],
      ['ok', 'openat', here, file, 0, 0o4755],
      ['ENOSYS', 'openat2', here, file, 0, 0],
      ['EPERM', 'fchmodat', here, file, 0o4755],
      ['ok', 'fchmodat', here, file, 0o600],
      ['EPERM', 'mknodat', here, `${file}2`, 0o60644, 0],
      ['ok', 'mknodat', here, `${file}2`, 0o10644, 0],
      ['EPERM', 'ioctl', 0, 0x5412, 0],
      ['ok', 'personality', 0xffffffff],
      ['EPERM', 'personality', 8],
      ['EPERM', 'keyctl', 0, 0, 0],
      ['ok', 'getpid'],
    ];
    const { results, stderr } = probe(
      [{ program: compileFilter(options) }],
      `
${LOAD_ALL}
for number, args in given['probes']: results.append(name(call(number, *args)))
child = os.fork()
if child == 0: os._exit(7)
results.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`,
      { probes: probes.map(([, name, ...given]) => [systemCall(name, HERE), given]) },
    );
    expect(stderr).toBe('');
    expect(results).toEqual([...probes.map(([expected]) => expected), 7]);
  });

  test('lets nothing be sent to a path from a pair of sockets', () => {
    const { results, stderr } = probe(
      [{ program: compileFilter(options) }],
      `
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(given['path'])
server.setblocking(False)
def send(kind):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    try: one.sendto(b'out', given['path'])
    except OSError: pass
    return server.recv(10)
results.append(attempt(lambda: send(socket.SOCK_DGRAM)))
${LOAD_ALL}
for kind in [socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_STREAM, socket.SOCK_SEQPACKET]:
    results.append(attempt(lambda: send(kind)))
`,
      { path: path.join(tempFolder(), 'socket') },
    );
    expect(stderr).toBe('');
    expect(results).toEqual(['ok', 'EPERM', 'EPERM', 'EAGAIN', 'EAGAIN']);
  });

  test.skipIf(HERE !== 'x64')('ends a program that calls in the manner of another architecture', () => {
    const { signal, results } = probe(
      [{ program: compileFilter(options) }],
      `
import mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex('b814000000cd80c3'))
${LOAD_ALL}
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
`,
    );
    expect(results).toEqual([]);
    // The second one where the kernel knows no other architecture at all.
    expect(['SIGSYS', 'SIGSEGV']).toContain(signal);
  });

  /** Whether the listener of the first filter hears of a socket, and what becomes of it when the listener goes away. */
  function socketUnder(sockets: FilterOptions['sockets']) {
    const watching = { program: compileNotifyFilter({ architecture: HERE, calls: ['sockets'] }), flags: 8 };
    const { results, stderr } = probe(
      [watching, { program: compileFilter({ ...options, sockets }) }],
      `
${LOAD_ALL}
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.close(listeners[0])
    os._exit(getattr(errno, attempt(lambda: socket.socket(socket.AF_INET)), 0))
os.close(writing)
results.append(listeners[0] in select.select([listeners[0], reading], [], [])[0])
os.close(listeners[0])
results.append(errno.errorcode.get(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 'ok'))
results.append(name(load(*given['filters'][0])))
results.append(name(load(given['filters'][0][0], 0)))
`,
    );
    expect(stderr).toBe('');
    return results;
  }

  test('reports a socket that is left to the listener, and fails it when there is none', () => {
    expect(socketUnder('reported')).toEqual([true, 'ENOSYS', 'EPERM', 'ok']);
  });

  test('does not report a socket that is refused already', () => {
    expect(socketUnder('none')).toEqual([false, 'EPERM', 'ok', 'ok']);
  });
});
