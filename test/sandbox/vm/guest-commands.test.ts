import { getEventListeners, once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

import { Aborted } from '../../../src/core/errors.js';
import { absolutePath } from '../../../src/core/paths.js';
import { MOST_PAYLOAD_BYTES, createFrameDecoder, encodeFrame } from '../../../src/sandbox/vm/frames.js';
import type { Frame, FrameKind } from '../../../src/sandbox/vm/frames.js';
import { NO_TERMINAL, createGuestCommands } from '../../../src/sandbox/vm/guest-commands.js';
import type { GuestCommand, GuestCommands } from '../../../src/sandbox/vm/guest-commands.js';

type Seen = { readonly frames: Frame[]; readonly over: string[] };

/** The host's side of a port, with a scripted agent at the other end of a real socket. */
async function guestWith(agent: (frame: Frame, send: Send) => void): Promise<{
  readonly commands: GuestCommands;
  readonly seen: Seen;
  readonly agentSide: Socket;
  readonly over: Promise<string>;
}> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const [[port], agentSide] = await Promise.all([
    once(server, 'connection') as Promise<[Socket]>,
    Promise.resolve(connect((server.address() as AddressInfo).port, '127.0.0.1')),
  ]);
  onTestFinished(() => void agentSide.destroy());
  const seen: Seen = { frames: [], over: [] };
  const decoder = createFrameDecoder();
  const send: Send = (kind, id, payload) =>
    void agentSide.write(encodeFrame({ kind, id, payload: Buffer.from(payload as string) }));
  agentSide.on('data', (chunk) => {
    for (const frame of decoder.push(chunk)) {
      seen.frames.push(frame);
      agent(frame, send);
    }
  });
  return await new Promise((resolve) => {
    let isOver = (_: string): void => {};
    const over = new Promise<string>((settle) => {
      isOver = settle;
    });
    const commands = createGuestCommands(port, {
      onReady: () => resolve({ commands, seen, agentSide, over }),
      onOver: (reason) => {
        seen.over.push(reason);
        isOver(reason);
      },
    });
    send('ready', 0, '');
  });
}

type Send = (kind: FrameKind, id: number, payload: string | readonly number[]) => void;

function command(parts: Partial<GuestCommand> = {}): GuestCommand {
  return { argv: ['make'], cwd: absolutePath('/w'), env: {}, onOutput: () => {}, ...parts };
}

test('output goes to the command it belongs to, by its stream, before its end', async () => {
  const { commands } = await guestWith(({ kind, id }, send) => {
    if (kind !== 'start' || id !== 2) return;
    send('stdout', 1, 'one');
    send('stderr', 2, 'two');
    send('exited', 1, [0]);
    send('exited', 2, [7]);
  });
  const heard: string[] = [];
  const listen = (name: string): GuestCommand =>
    command({ onOutput: (chunk, stream) => void heard.push(`${name} ${stream} ${Buffer.from(chunk).toString()}`) });
  const exits = [commands.spawn(listen('a')).exit, commands.spawn(listen('b')).exit];
  expect(await Promise.all(exits)).toEqual([
    { kind: 'exited', code: 0 },
    { kind: 'exited', code: 7 },
  ]);
  expect(heard).toEqual(['a stdout one', 'b stderr two']);
});

test('what cannot be started is an exit with the reason', async () => {
  const { commands, seen } = await guestWith(({ id }, send) => send('not_started', id, 'nothing: No such file'));
  expect(await commands.spawn(command()).exit).toEqual({ kind: 'not_started', reason: 'nothing: No such file' });
  expect(await commands.spawn(command({ argv: [] })).exit).toMatchObject({ kind: 'not_started' });
  expect(await commands.spawn(command({ argv: ['echo', 'x'.repeat(MOST_PAYLOAD_BYTES)] })).exit).toEqual({
    kind: 'not_started',
    reason: 'the command is too long for the system; put the text into a file',
  });
  expect(seen.frames).toHaveLength(1);
});

test('interrupting and ending are signals to the guest', async () => {
  const { commands, seen } = await guestWith(({ kind, id, payload }, send) => {
    if (kind === 'signal' && payload[0] === 9) send('signalled', id, [9]);
  });
  const process = commands.spawn(command());
  process.interrupt();
  await process.end();
  expect(await process.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
  process.interrupt();
  await process.end();
  await commands.spawn(command()).end();
  expect(seen.frames.map(({ kind, id, payload }) => [kind, id, kind === 'signal' && payload[0]])).toEqual([
    ['start', 1, false],
    ['signal', 1, 2],
    ['signal', 1, 9],
    ['start', 2, false],
    ['signal', 2, 9],
  ]);
});

test('aborting ends a command that runs, and does not start one that does not', async () => {
  const { commands, seen } = await guestWith(({ kind, id }, send) => {
    if (kind === 'signal') send('signalled', id, [9]);
  });
  const abort = new AbortController();
  const process = commands.spawn(command({ signal: abort.signal }));
  abort.abort();
  expect(await process.exit).toMatchObject({ kind: 'signalled' });
  expect(() => commands.spawn(command({ signal: abort.signal }))).toThrow(Aborted);
  expect(seen.frames.filter(({ kind }) => kind === 'start')).toHaveLength(1);
});

test('a command that is over no longer listens to its signal', async () => {
  const { commands } = await guestWith(({ id }, send) => send('exited', id, [0]));
  const { signal } = new AbortController();
  await commands.spawn(command({ signal })).exit;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a listener that throws ends its command and is told why', async () => {
  const { commands } = await guestWith(({ kind, id }, send) => {
    if (kind === 'signal') return send('signalled', id, [9]);
    send('stdout', id, 'x');
    send('stderr', id, 'y');
  });
  let calls = 0;
  const onOutput = (): void => {
    calls += 1;
    throw new Error('the disk is full');
  };
  expect(await commands.spawn(command({ onOutput })).exit).toEqual({
    kind: 'not_started',
    reason: 'its output could not be taken: the disk is full',
  });
  expect(calls).toBe(1);
});

test('when the guest goes, its commands count as killed and no other starts', async () => {
  const { commands, agentSide, over } = await guestWith(() => agentSide.destroy());
  expect(await commands.spawn(command()).exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
  expect(await over).toBe('the guest has ended');
  expect(await commands.spawn(command()).exit).toEqual({ kind: 'not_started', reason: 'the guest has ended' });
});

test.each([
  ['sends what is no frame', Buffer.alloc(16)],
  ['sends what only the host may', encodeFrame({ kind: 'start', id: 1, payload: Buffer.alloc(0) })],
])('a guest that %s is given up, once', async (_, bytes) => {
  const { commands, seen, agentSide } = await guestWith(() => agentSide.write(bytes));
  expect(await commands.spawn(command()).exit).toMatchObject({ kind: 'signalled' });
  await once(agentSide, 'close');
  expect(seen.over).toHaveLength(1);
});

test('a terminal is not to be had, and it is said', async () => {
  const { commands } = await guestWith(({ id }, send) => send('exited', id, [0]));
  expect(commands.spawn(command({ terminal: { columns: 80, rows: 24 } })).notice).toBe(NO_TERMINAL);
  expect(commands.spawn(command()).notice).toBeUndefined();
});

test('frames about commands that are over are ignored', async () => {
  const { commands } = await guestWith(({ id }, send) => {
    send('stdout', 99, 'nobody');
    send('exited', id, [1]);
    send('exited', id, [2]);
    send('stdout', id, 'late');
  });
  expect(await commands.spawn(command()).exit).toEqual({ kind: 'exited', code: 1 });
  expect(await commands.spawn(command()).exit).toEqual({ kind: 'exited', code: 1 });
});
