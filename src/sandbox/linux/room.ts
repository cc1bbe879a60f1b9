/**
 * The room: a user, a network and an IPC namespace that all commands of a runtime share, so that a server started by one
 * command can be reached by the next. Its network has nothing but a loopback of its own, on which our proxy listens: the
 * sockets are made inside and handed out over the channel that Node has with its children. Sockets stay in the namespace
 * they were made in, so nothing else connects the two sides.
 */
import { createProgram } from '../runner/program.js';
import type { Program, ProgramBuilder } from '../runner/program.js';
import { becomeOwner } from './cell.js';
import type { Identity } from './cell.js';
import { words } from './words.js';
import { ALL_DESCRIPTORS, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWUSER } from './flags.js';
import type { Architecture } from './system-calls.js';

/** In the namespace. Above what the system gives out by itself, and hardly anybody's favourite. */
export const PROXY_PORT = 61_080;
const RESOLVER_PORT = 53;

/** Where programs find an allowed host that know of no proxy. */
export const DIRECT_ADDRESS = '127.77.0.1';
/** Its doors, and the port that each stands for. */
export const DIRECT_PORTS = { http: 80, tls: 443 } as const;

/** Node's channel as the runner has it. */
const CHANNEL = 4;

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
const LOOPBACK = '127.0.0.1';

export function compileRoom(architecture: Architecture, identity: Identity): Program {
  const program = createProgram(architecture);
  program.call('closing descriptors', 'close_range', [CHANNEL + 1, ALL_DESCRIPTORS, 0]);
  becomeOwner(program, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC, identity);
  raiseLoopback(program);
  handOut(program, { type: SOCK_STREAM, address: LOOPBACK, port: PROXY_PORT, role: 'proxy' });
  handOut(program, { type: SOCK_DGRAM, address: LOOPBACK, port: RESOLVER_PORT, role: 'resolver' });
  for (const [role, port] of Object.entries(DIRECT_PORTS))
    handOut(program, { type: SOCK_STREAM, address: DIRECT_ADDRESS, port, role });
  // Stays until the namespaces have been taken hold of and the channel is closed.
  const buffer = program.bytes(new Uint8Array(4096));
  for (let wait = 0; wait < READS; wait++) program.call('waiting for its owner', 'read', [CHANNEL, buffer, 4096]);
  return program.build();
}

/** Node acknowledges each socket; more reads than messages do no harm, since the end of the channel answers them all. */
const READS = 16;

function raiseLoopback(program: ProgramBuilder): void {
  const what = 'making its loopback';
  const socket = program.open(what, 'socket', [AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0]);
  const request = Buffer.alloc(40);
  request.write('lo');
  request.writeUInt16LE(IFF_UP, 16);
  program.call(what, 'ioctl', [socket, SIOCSIFFLAGS, program.bytes(request)]);
  program.close(socket);
}

type Door = { readonly type: number; readonly address: string; readonly port: number; readonly role: string };

function handOut(program: ProgramBuilder, { type, address, port, role }: Door): void {
  const what = `listening on port ${port} in its network`;
  const control = controlMessage();
  const rights = program.bytes(control);
  const socket = program.open(what, 'socket', [AF_INET, type | SOCK_CLOEXEC, 0], {
    store: { kind: 'address', offset: rights.offset + 16 },
  });
  program.call(what, 'bind', [socket, program.bytes(socketAddress(address, port)), 16]);
  if (type === SOCK_STREAM) program.call(what, 'listen', [socket, 511]);
  const line = Buffer.from(`${JSON.stringify(messageFor(type, role))}\n`);
  const vector = program.structure(words([0n, BigInt(line.length)]), [{ at: 0, to: program.bytes(line) }]);
  const head = Buffer.alloc(56);
  head.writeBigUInt64LE(1n, 24);
  head.writeBigUInt64LE(BigInt(control.length), 40);
  const header = program.structure(head, [
    { at: 16, to: vector },
    { at: 32, to: rights },
  ]);
  program.call(what, 'sendmsg', [CHANNEL, header, 0]);
  program.close(socket);
}

/** As Node says it when one of its own processes hands out a socket. */
function messageFor(type: number, role: string): object {
  const kind = type === SOCK_STREAM ? { type: 'net.Server' } : { type: 'dgram.Socket', dgramType: 'udp4' };
  return { cmd: 'NODE_HANDLE', ...kind, msg: { role } };
}

/** One descriptor, which is written in once it is known. */
function controlMessage(): Buffer {
  const control = Buffer.alloc(24);
  control.writeBigUInt64LE(20n, 0);
  control.writeUInt32LE(1, 8);
  control.writeUInt32LE(1, 12);
  return control;
}

function socketAddress(address: string, port: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(address.split('.').map(Number), 4);
  return bytes;
}
