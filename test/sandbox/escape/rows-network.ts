/** Sockets: to hosts, to services of this machine, and to what is no network at all. */
import type { Probe } from './probe.js';
import { by, finding } from './row.js';
import type { Finding, Row, Stand, Try } from './row.js';
import type { Grounds } from './grounds.js';
import { all } from './rows-files.js';

const AF = { unix: 1, inet: 2, ax25: 3, inet6: 10, key: 15, netlink: 16, packet: 17, can: 29, tipc: 30 } as const;
const MORE_AF = { bluetooth: 31, alg: 38, vsock: 40, smc: 43, xdp: 44, mctp: 45 } as const;
const STREAM = 1;
const DATAGRAM = 2;
const RAW = 3;
const ELSEWHERE = [192, 0, 2, 1];
const RESOLVER = [198, 51, 100, 53];

export const NETWORK_ROWS: readonly Row[] = [
  {
    id: '27',
    title: 'no host is reached, and it is told',
    tries: () => [
      ...all(by('ENETUNREACH', 'EPERM'), {
        TCP: (p) => connectTo(p, STREAM, ELSEWHERE, 443),
        UDP: (p) => connectTo(p, DATAGRAM, ELSEWHERE, 443),
        'a datagram': (p) => sendTo(p, ELSEWHERE, 443),
        'a message': (p) => sendMessage(p, ELSEWHERE, 443),
      }),
      ...all(by('ENETUNREACH|EADDRNOTAVAIL', 'EPERM'), {
        'TCP of the newer kind': (p) => connectTo6(p, STREAM),
        'UDP of the newer kind': (p) => connectTo6(p, DATAGRAM),
      }),
      ...all('EPERM', { 'raw packets': (p) => p.call('socket', [AF.inet, RAW, 1]) }),
    ],
    after: isToldOf('192.0.2.1'),
  },
  {
    id: '28',
    title: 'servers on the loopback of the machine are not reached',
    tries: ({ port }) =>
      all(by('ECONNREFUSED', 'EPERM'), {
        'by its address': (p) => connectTo(p, STREAM, [127, 0, 0, 1], port),
        'by another of the same': (p) => connectTo(p, STREAM, [127, 1, 2, 3], port),
        'by no address': (p) => connectTo(p, STREAM, [0, 0, 0, 0], port),
      }),
  },
  {
    id: '29',
    title: 'a server and a client of its own work where the network is its own',
    tries: () =>
      all(by('ok', 'EPERM'), {
        both(p) {
          const server = p.call('socket', [AF.inet, STREAM, 0]);
          p.call('bind', [server, p.bytes(address([127, 0, 0, 1], 45_321)), 16]);
          p.call('listen', [server, 5]);
          connectTo(p, STREAM, [127, 0, 0, 1], 45_321);
        },
      }),
  },
  {
    id: '30',
    title: 'sockets with a path are not reached',
    tries: ({ socket }) =>
      all('EPERM', {
        connecting: (p) => connectToPath(p, socket),
        'a datagram from a pair'(p) {
          p.call('socketpair', [AF.unix, DATAGRAM, 0, p.bytes(new Uint8Array(8))]);
        },
        'making one': (p) => p.call('socket', [AF.unix, DATAGRAM, 0]),
      }).concat(all('ok', { 'a pair': (p) => p.call('socketpair', [AF.unix, STREAM, 0, p.bytes(new Uint8Array(8))]) })),
  },
  {
    id: '31',
    title: 'sockets with only a name are not reached',
    tries: ({ abstractName }) => all('EPERM', { connecting: (p) => connectToPath(p, `\0${abstractName}`) }),
  },
  {
    id: '32',
    title: 'sockets that belong to no network namespace are not made',
    tries: () => [
      ...all('EPERM', {
        ...Object.fromEntries(
          Object.entries({ ...MORE_AF, key: AF.key, packet: AF.packet, can: AF.can, tipc: AF.tipc, ax25: AF.ax25 }).map(
            ([name, family]): [string, Try['calls']] => [name, (p) => p.call('socket', [family, STREAM, 0])],
          ),
        ),
        ...Object.fromEntries(
          [2, 4, 6, 9, 11, 12, 15, 16].map((protocol): [string, Try['calls']] => [
            `netlink ${protocol}`,
            (p) => p.call('socket', [AF.netlink, RAW, protocol]),
          ]),
        ),
        'with bits that the kernel drops': (p) => p.call('socket', [0xdead_0000_0028n, STREAM, 0]),
      }),
      // The namespace's own, for programs that list network interfaces.
      ...all(by('ok', 'EPERM'), { 'netlink for routes': (p) => p.call('socket', [AF.netlink, RAW, 0]) }),
    ],
  },
  {
    id: '41',
    title: 'no resolver is asked over the wire, and it is told',
    tries: () =>
      all(by('ENETUNREACH', 'EPERM'), {
        'a datagram': (p) => sendTo(p, RESOLVER, 53),
        'over TCP': (p) => connectTo(p, STREAM, RESOLVER, 53),
      }),
    after: isToldOf('198.51.100.53'),
  },
];

/** Behind the fence only that there was a socket at all. */
function isToldOf(host: string): (grounds: Grounds, stand: Stand) => readonly Finding[] {
  return ({ reports }, { backend }) => {
    const targets = reports.flatMap((each) => (each.kind === 'connect' ? [each.target] : []));
    const isTold = backend === 'landlock' ? targets.length > 0 : targets.some((target) => target.includes(host));
    return [finding(`that ${host} was wanted`, isTold ? 'told' : `only ${JSON.stringify(reports)}`, 'told')];
  };
}

export function address([a = 0, b = 0, c = 0, d = 0]: readonly number[], port: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF.inet, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set([a, b, c, d], 4);
  return bytes;
}

export function connectTo(p: Probe, type: number, host: readonly number[], port: number): void {
  const socket = p.call('socket', [AF.inet, type, 0]);
  p.call('connect', [socket, p.bytes(address(host, port)), 16]);
}

function connectTo6(p: Probe, type: number): void {
  const bytes = Buffer.alloc(28);
  bytes.writeUInt16LE(AF.inet6, 0);
  bytes.writeUInt16BE(443, 2);
  bytes.set([0x20, 0x01, 0x0d, 0xb8], 8);
  bytes[23] = 1;
  const socket = p.call('socket', [AF.inet6, type, 0]);
  p.call('connect', [socket, p.bytes(bytes), 28]);
}

function sendTo(p: Probe, host: readonly number[], port: number): void {
  const socket = p.call('socket', [AF.inet, DATAGRAM, 0]);
  p.call('sendto', [socket, p.text('SECRET'), 6, 0, p.bytes(address(host, port)), 16]);
}

function sendMessage(p: Probe, host: readonly number[], port: number): void {
  const socket = p.call('socket', [AF.inet, DATAGRAM, 0]);
  const vector = p.structure(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]), [
    { at: 0, to: p.text('SECRET') },
  ]);
  const head = Buffer.alloc(56);
  head.writeUInt32LE(16, 8);
  head.writeBigUInt64LE(1n, 24);
  p.call('sendmsg', [
    socket,
    p.structure(head, [
      { at: 0, to: p.bytes(address(host, port)) },
      { at: 16, to: vector },
    ]),
    0,
  ]);
}

export function connectToPath(p: Probe, name: string): void {
  const bytes = Buffer.concat([Buffer.from([AF.unix, 0]), Buffer.from(name)]);
  const socket = p.call('socket', [AF.unix, STREAM, 0]);
  const length = name.startsWith('\0') ? bytes.length : bytes.length + 1;
  p.call('connect', [socket, p.bytes(Buffer.concat([bytes, Buffer.alloc(8)])), length]);
}
