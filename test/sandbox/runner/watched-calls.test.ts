import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { decodeAddress } from '../../../src/sandbox/denials/addresses.js';
import { noNewPrivileges } from '../../../src/sandbox/linux/confinement-steps.js';
import type { WatchOptions } from '../../../src/sandbox/linux/watch-steps.js';
import { WATCHED_ENTRIES, addWatch } from '../../../src/sandbox/linux/watch-steps.js';
import { createProgram } from '../../../src/sandbox/runner/program.js';
import type { ProgramBuilder } from '../../../src/sandbox/runner/program.js';
import type { WatchedCall } from '../../../src/sandbox/runner/outcome.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ARCHITECTURE, CAN_RUN, startProgram } from '../../support/test-runner.js';

const AT_FDCWD = -100;
const O_DIRECTORY = ARCHITECTURE === 'arm64' ? 0o40000 : 0o200000;
const O_WRONLY = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;

const EVERYTHING: WatchOptions = { calls: ['connections', 'paths'], refuseSockets: false };

type Watched = { readonly calls: readonly Seen[]; readonly code: number | null; readonly output: string };
type Seen = { readonly call: string | undefined; readonly text: string; readonly folder: string };

/** Runs steps in a child that is watched, and tells what was seen of it. */
async function watch(act: (program: ProgramBuilder) => void, options = EVERYTHING): Promise<Watched> {
  const { seen, ...ended } = await watchRaw(act, options);
  return { ...ended, calls: seen.map((each) => ({ call: callOf(each), text: textOf(each), folder: each.folder })) };
}

async function watchRaw(
  act: (program: ProgramBuilder) => void,
  options = EVERYTHING,
): Promise<Omit<Watched, 'calls'> & { readonly seen: readonly WatchedCall[] }> {
  const program = createProgram(ARCHITECTURE);
  noNewPrivileges(program);
  const watched = addWatch(program, options);
  program.fork('starting a child', { watch: watched, tells: true });
  act(program);
  program.call('telling', 'write', [1, program.text('done'), 4]);
  const started = startProgram(program.build());
  const { code, output } = await started.ended;
  expect(started.loaded.outcome()).toEqual({ kind: 'ended', status: 0 });
  return { code, output, seen: started.loaded.watched() };
}

function callOf({ entry }: WatchedCall): string | undefined {
  return WATCHED_ENTRIES[entry]?.call;
}

function textOf({ bytes }: WatchedCall): string {
  return Buffer.from(bytes).toString().split('\0', 1)[0] ?? '';
}

/** Loopback on a port where nobody listens. */
function address(family: number): Buffer {
  const bytes = Buffer.alloc(family === AF_INET ? 16 : 28);
  bytes.writeUInt16LE(family, 0);
  bytes.writeUInt16BE(9, 2);
  if (family === AF_INET) bytes.set([127, 0, 0, 1], 4);
  else bytes[23] = 1;
  return bytes;
}

const DONE = { code: 0, output: 'done' };

describe.skipIf(!CAN_RUN)('a watched child', () => {
  test.each([
    { family: AF_INET, host: '127.0.0.1' },
    { family: AF_INET6, host: '::1' },
  ])('that connects to $host is recorded with the address', async ({ family, host }) => {
    const { seen, ...ended } = await watchRaw((program) => {
      const socket = program.open('making a socket', 'socket', [family, SOCK_DGRAM, 0], { mayFail: true });
      const where = address(family);
      program.call('connecting', 'connect', [socket, program.bytes(where), where.length], { mayFail: true });
      program.call('sending', 'sendto', [socket, program.text('x'), 1, 0, program.bytes(where), where.length], {
        mayFail: true,
      });
    });
    expect(ended).toEqual(DONE);
    expect(seen.map((each) => ({ call: callOf(each), address: decodeAddress(each.bytes) }))).toEqual(
      ['connect', 'sendto'].map((call) => ({ call, address: expect.objectContaining({ port: 9 }) as unknown })),
    );
    expect(JSON.stringify(seen.map((each) => decodeAddress(each.bytes)))).toContain(host);
  });

  test('is recorded with the path and the folder that it is in', async () => {
    const folder = realpathSync(tempFolder());
    const watched = await watch((program) => {
      program.call('going there', 'chdir', [program.text(folder)]);
      program.call('making a folder', 'mkdirat', [AT_FDCWD, program.text('made'), 0o700]);
      program.call('making another', 'mkdirat', [AT_FDCWD, program.text(`${folder}/whole`), 0o700]);
    });
    expect(watched).toEqual({
      ...DONE,
      calls: [
        { call: 'mkdirat', text: 'made', folder },
        { call: 'mkdirat', text: `${folder}/whole`, folder },
      ],
    });
  });

  test('is recorded with the folder of a descriptor, which is not the one it is in', async () => {
    const folder = realpathSync(tempFolder());
    mkdirSync(path.join(folder, 'inner'));
    const watched = await watch((program) => {
      const inner = program.open('opening', 'openat', [AT_FDCWD, program.text(`${folder}/inner`), O_DIRECTORY]);
      program.call('making a folder', 'mkdirat', [inner, program.text('made'), 0o700]);
      program.call('leaving it', 'unlinkat', [inner, program.text('made'), 0x200]);
    });
    expect(watched).toEqual({
      ...DONE,
      calls: ['mkdirat', 'unlinkat'].map((call) => ({ call, text: 'made', folder: path.join(folder, 'inner') })),
    });
  });

  test('is recorded twice for a call with two paths, first with what it makes', async () => {
    const folder = realpathSync(tempFolder());
    const { calls } = await watch((program) => {
      program.call('going there', 'chdir', [program.text(folder)]);
      program.call('making a folder', 'mkdirat', [AT_FDCWD, program.text('old'), 0o700]);
      program.call('moving it', 'renameat2', [AT_FDCWD, program.text('old'), AT_FDCWD, program.text('new'), 0]);
    });
    expect(calls.slice(1)).toEqual([
      { call: 'renameat2', text: 'new', folder },
      { call: 'renameat2', text: 'old', folder },
    ]);
  });

  test('is not recorded reading, only writing', async () => {
    const { calls } = await watch((program) => {
      const file = program.text('/dev/null');
      program.call('reading', 'openat', [AT_FDCWD, file, 0, 0]);
      program.call('writing', 'openat', [AT_FDCWD, file, O_WRONLY, 0]);
    });
    expect(calls).toEqual([{ call: 'openat', text: '/dev/null', folder: '/' }]);
  });

  test('has its path read up to the end of the memory it lies in', async () => {
    const long = `/${'x'.repeat(300)}`.repeat(13);
    const { calls } = await watch((program) => {
      program.call('making', 'mkdirat', [AT_FDCWD, program.text(long), 0o700], { mayFail: true });
      program.call('making nothing', 'mkdirat', [AT_FDCWD, 0, 0o700], { mayFail: true });
      program.call('making at a bad place', 'mkdirat', [AT_FDCWD, 0x10, 0o700], { mayFail: true });
    });
    expect(calls.map(({ text }) => text)).toEqual([long, '', '']);
  });

  test('with more calls than anybody reads is cut there and goes on', async () => {
    const { calls, ...ended } = await watch((program) => {
      const place = program.text('/no/such/folder');
      for (let count = 0; count < 700; count++)
        program.call('making', 'mkdirat', [AT_FDCWD, place, 0o700], { mayFail: true });
    });
    expect(ended).toEqual(DONE);
    expect(calls).toHaveLength(512);
  });

  test('is recorded and refused internet sockets where these are refused, and keeps others', async () => {
    const { calls, output } = await watch(
      (program) => {
        const results = program.bytes(new Uint8Array(16));
        for (const [index, family] of [AF_INET, AF_INET6, 1].entries())
          program.call('making a socket', 'socket', [family, SOCK_DGRAM, 0], {
            mayFail: true,
            store: { kind: 'address', offset: results.offset + index * 4 },
          });
        program.call('telling', 'write', [1, results, 12]);
      },
      { calls: ['sockets'], refuseSockets: true },
    );
    expect(calls.map(({ call }) => call)).toEqual(['socket', 'socket']);
    const results = Buffer.from(output, 'latin1');
    expect([0, 4].map((at) => results.readInt32LE(at))).toEqual([-1, -1]);
    expect(results.readInt32LE(8)).toBeGreaterThan(2);
    expect(output.endsWith('done')).toBe(true);
  });

  test('that ends without a call is waited for all the same', async () => {
    expect(await watch(() => {})).toEqual({ ...DONE, calls: [] });
  });

  test('is seen in its own children, too', async () => {
    const { calls } = await watch((program) => {
      program.fork('starting another', {});
      program.call('making', 'mkdirat', [AT_FDCWD, program.text('/no/such/folder'), 0o700], { mayFail: true });
    });
    expect(calls).toEqual([{ call: 'mkdirat', text: '/no/such/folder', folder: '/' }]);
  });
});
