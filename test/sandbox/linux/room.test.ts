import { readlinkSync } from 'node:fs';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';

import { openRoom } from '../../../src/sandbox/linux/open-room.js';
import type { Room } from '../../../src/sandbox/linux/open-room.js';
import { PROXY_PORT, compileRoom } from '../../../src/sandbox/linux/room.js';
import { createProgram } from '../../../src/sandbox/runner/program.js';
import { printProgram } from '../../support/print-program.js';
import { comesInOrder } from '../../support/step-order.js';
import { ARCHITECTURE, CAN_RUN, startProgram, testRunner } from '../../support/test-runner.js';

const IDENTITY = { user: 1000, group: 100 };
const OWN = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };

describe('the program of a room', () => {
  test('is this one', async () => {
    await expect(printProgram(compileRoom('x64', IDENTITY))).toMatchFileSnapshot('golden/room.txt');
  });

  test('is the same on the other architecture, and each time', () => {
    expect(printProgram(compileRoom('arm64', IDENTITY))).toBe(printProgram(compileRoom('x64', IDENTITY)));
    expect(compileRoom('x64', IDENTITY).bytes).toEqual(compileRoom('x64', IDENTITY).bytes);
  });

  test('closes what it must not keep, then makes namespaces, a loopback and sockets, and waits', () => {
    const texts = ['close_range(', 'making namespaces', 'making its loopback', 'listening on port', 'waiting for'];
    expect(comesInOrder(compileRoom('x64', IDENTITY), texts)).toBe(true);
  });
});

describe.skipIf(!CAN_RUN)('an open room', () => {
  async function testRoom(skip: (reason: string) => never): Promise<Room> {
    const room = await openRoom(testRunner(), ARCHITECTURE, OWN).catch((error: Error) => skip(error.message));
    onTestFinished(() => room.close());
    return room;
  }

  test('has namespaces that are not ours, and sockets in them', async (ctx) => {
    const room = await testRoom((reason) => ctx.skip(reason));
    const [user, network, ipc] = [room.user, room.network, room.ipc].map((each) =>
      readlinkSync(`/proc/self/fd/${each}`),
    );
    expect([user, network, ipc]).toEqual(
      [/^user:/, /^net:/, /^ipc:/].map((form) => expect.stringMatching(form) as unknown),
    );
    for (const [name, there] of Object.entries({ user, net: network, ipc }))
      expect(there).not.toBe(readlinkSync(`/proc/self/ns/${name}`));
    expect(room.proxy.address()).toEqual({ address: '127.0.0.1', family: 'IPv4', port: PROXY_PORT });
    expect(room.resolver.address()).toMatchObject({ address: '127.0.0.1', port: 53 });
  });

  test('is reached from inside of its network, and not from ours', async (ctx) => {
    const room = await testRoom((reason) => ctx.skip(reason));
    room.proxy.on('connection', (socket: net.Socket) => socket.end('reached'));
    const outside = net.connect(PROXY_PORT, '127.0.0.1');
    const refused = await new Promise<string>((resolve) => {
      outside.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      outside.once('connect', () => resolve('connected'));
    });
    outside.destroy();
    expect(refused).toBe('ECONNREFUSED');

    const program = createProgram(ARCHITECTURE);
    const [user, network] = [5, 6];
    program.call('entering', 'setns', [user, 0x10000000]);
    program.call('entering', 'setns', [network, 0x40000000]);
    const socket = program.open('making a socket', 'socket', [2, 1, 0]);
    const address = Buffer.alloc(16);
    address.writeUInt16LE(2, 0);
    address.writeUInt16BE(PROXY_PORT, 2);
    address.set([127, 0, 0, 1], 4);
    program.call('connecting', 'connect', [socket, program.bytes(address), 16]);
    const answer = program.bytes(new Uint8Array(8));
    program.call('reading', 'read', [socket, answer, 7]);
    program.call('telling', 'write', [1, answer, 7]);
    const started = startProgram(program.build(), { descriptors: [room.user, room.network] });
    expect(await started.ended).toMatchObject({ code: 0, output: 'reached' });
  });

  test('that cannot be made says at which step', async () => {
    const nobody = { user: 4_000_000_000, group: 4_000_000_000 };
    await expect(openRoom(testRunner(), ARCHITECTURE, nobody)).rejects.toThrow(/^(making|keeping) .*: E[A-Z]+$/);
  });
});
