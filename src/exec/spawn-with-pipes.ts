/**
 * Starts a program in its own process group, with a pipe for its output. However it ends, `exit` resolves with data,
 * and never waits for a pipe that a forgotten child holds open.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { Socket } from 'node:net';
import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import { isAbsolute } from 'node:path';
import { Readable } from 'node:stream';

import { ToolFailure, messageOf } from '../core/errors.js';
import type { OutputStream } from '../core/output.js';
import type { Spawner } from '../core/spawner.js';
import type { ProcessExit } from '../core/workspace.js';
import { childEnd, whyNot } from './child-end.js';
import { DRAIN_AFTER_KILL_MS, signalGroup } from './launch.js';
import type { PipeLaunch } from './launch.js';
import { sealedStdio } from './sealed-descriptors.js';
import { MOST_WAITING_BYTES, NOT_READING } from './terminal-input.js';

/** After a normal end, only a child left in the background still holds a pipe. */
const DRAIN_AFTER_EXIT_MS = 100;

export type Started = {
  readonly pid: number | undefined;
  readonly exit: Promise<ProcessExit>;
  /** Something about how it runs that whoever asked for it has to know. */
  readonly notice?: string;
  readonly write?: (bytes: Uint8Array) => Promise<void>;
  /** Kills the group. */
  kill(): void;
};

export function spawnWithPipes(launch: PipeLaunch): Started {
  const { argv, cwd, env, pipe, descriptors = [] } = launch;
  const [file = '', ...args] = argv;
  const output = pipe?.write ?? 'pipe';
  try {
    const stdio = sealedStdio([launch.input === 'open' ? 'pipe' : 'ignore', output, output, ...descriptors]);
    const child = spawn(file, args, { cwd, env, detached: true, stdio });
    // Listened to before anything else: a child that could not be started says so in an event.
    const end = childEnd(child, launch);
    const read = pipe ? fromPipe(pipe.read, launch) : fromStreams(child);
    return follow({ pid: child.pid, end, stdin: child.stdin }, read, launch);
  } catch (error) {
    if (pipe) fs.closeSync(pipe.read);
    return { ...notStarted(''), exit: whyNot(error, launch) };
  } finally {
    // The program has its own.
    if (pipe) fs.closeSync(pipe.write);
  }
}

/** The same by somebody else, where that can be done: undefined where it cannot. */
export async function spawnThrough(spawner: Spawner | undefined, launch: PipeLaunch): Promise<Started | undefined> {
  const { argv, cwd, env, pipe, input, descriptors = [] } = launch;
  // Where a program is found, and what is done about one that is not, Node knows.
  if (spawner === undefined || pipe === undefined || input === 'open' || !isAbsolute(argv[0] ?? '')) return undefined;
  const spawned = await spawner.start({ argv, cwd, env, output: pipe.write, descriptors });
  if (spawned === undefined) return undefined;
  fs.closeSync(pipe.write);
  return follow({ pid: spawned.pid, end: spawned.exit }, fromPipe(pipe.read, launch), launch);
}

export function notStarted(reason: string): Started {
  return { pid: undefined, exit: Promise.resolve({ kind: 'not_started', reason }), kill: () => {} };
}

/** Opens what a program prints: each piece goes to whoever takes it. */
type OpenReaders = (take: Take) => readonly Readable[];
type Take = (chunk: Buffer, stream: OutputStream) => void;

/** Into the same memory again and again: a program may print much that is looked at once and left. */
function fromPipe(fd: number, { portion: buffer, lendsOutput = false }: PipeLaunch): OpenReaders {
  return (take) => {
    const callback = (bytes: number): boolean => {
      const chunk = buffer.subarray(0, bytes);
      take(lendsOutput ? chunk : Buffer.from(chunk), 'stdout');
      return true;
    };
    const onread = { buffer, callback };
    const options: SocketConstructorOpts & ConnectOpts = { fd, readable: true, writable: false, onread };
    return [new Socket(options)];
  };
}

/** A child that could not be started has none, whatever its type says. */
function fromStreams({ stdout, stderr }: ChildProcess): OpenReaders {
  return (take) => {
    const readers = [stdout, stderr].filter((stream) => stream instanceof Readable);
    for (const [index, reader] of readers.entries()) {
      reader.on('data', (chunk: Buffer) => take(chunk, index === 0 ? 'stdout' : 'stderr'));
    }
    return readers;
  };
}

type Running = {
  readonly pid: number | undefined;
  readonly end: Promise<ProcessExit>;
  readonly stdin?: ChildProcess['stdin'];
};

function follow({ pid, end, stdin }: Running, openReaders: OpenReaders, launch: PipeLaunch): Started {
  const output = readOutput(openReaders, launch);
  let killed = false;
  const kill = (): void => {
    killed = true;
    signalGroup(pid, 'SIGKILL');
  };
  const exit = end.then(async (how) => {
    const drainMs = killed ? DRAIN_AFTER_KILL_MS : DRAIN_AFTER_EXIT_MS;
    if (how.kind === 'not_started') output.close();
    else await output.ended(drainMs, () => signalGroup(pid, 'SIGKILL'));
    return output.failure() ?? how;
  });
  output.onFailure(kill);
  return { pid, exit, kill, ...(stdin && { write: inputOf(stdin) }) };
}

interface Output {
  /** Resolves when all is read; after `ms` whoever still writes is ended and no longer waited for. */
  ended(ms: number, endWriters: () => void): Promise<void>;
  /** Why it could not be taken. */
  failure(): ProcessExit | undefined;
  onFailure(stop: () => void): void;
  close(): void;
}

function readOutput(openReaders: OpenReaders, { onOutput }: PipeLaunch): Output {
  let failure: ProcessExit | undefined;
  let stop = (): void => {};

  const readers = openReaders((chunk, stream) => {
    try {
      onOutput(chunk, stream);
    } catch (error) {
      failure ??= { kind: 'not_started', reason: `its output could not be taken: ${messageOf(error)}` };
      stop();
    }
  });
  const closed = Promise.all(
    readers.map((reader) => {
      reader.on('error', () => {});
      return new Promise((resolve) => reader.once('close', resolve));
    }),
  );
  const close = (): void => {
    for (const reader of readers) reader.destroy();
  };

  return {
    async ended(ms, endWriters) {
      let isOver = false;
      const giveUp = (): void => {
        if (isOver) return;
        endWriters();
        close();
      };
      // A busy process may get here before it has read what is already waiting; an immediate runs after the next read.
      const timer = setTimeout(() => setImmediate(giveUp), ms);
      await closed;
      isOver = true;
      clearTimeout(timer);
    },
    failure: () => failure,
    onFailure(then) {
      stop = then;
    },
    close,
  };
}

function inputOf(stdin: NonNullable<ChildProcess['stdin']>): (bytes: Uint8Array) => Promise<void> {
  // Each write hears of its own failure.
  stdin.on('error', () => {});
  return (bytes) =>
    new Promise((resolve, reject) => {
      if (stdin.writableLength + bytes.length > MOST_WAITING_BYTES) throw new ToolFailure(NOT_READING);
      stdin.write(bytes, (error) =>
        error ? reject(new ToolFailure('the program no longer reads its input', { cause: error })) : resolve(),
      );
    });
}
