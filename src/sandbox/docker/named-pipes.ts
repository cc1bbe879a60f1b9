/** Pipes with a name, which a container can open too. Node has no call for making one. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { Socket } from 'node:net';

import { Fatal } from '../../core/errors.js';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

export function makeNamedPipes(names: readonly string[]): Promise<void> {
  const child = spawn('mkfifo', ['-m', '600', '--', ...names], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with code ${code}`))));
  });
}

/** Does not wait for a writer. To be read from only when there has been one, or its end is seen at once. */
export function openForReading(name: string): number {
  return openPipe(name, O_RDONLY);
}

/** Opened at both ends, so that neither side waits for the other, and no end is seen before we close it. */
export function openAtBothEnds(name: string): number {
  return openPipe(name, O_RDWR);
}

export interface PipeReader {
  /** What arrives before is lost. */
  listen(onData: (chunk: Buffer) => void): void;
  /** Resolves when nobody can write any more, or we do not want to read. */
  readonly closed: Promise<void>;
  isClosed(): boolean;
  close(): void;
}

export function readPipe(descriptor: number): PipeReader {
  const socket = new Socket({ fd: descriptor, readable: true, writable: false });
  let onData = (_chunk: Buffer): void => {};
  socket.on('data', (chunk: Buffer) => onData(chunk));
  socket.on('error', () => {});
  return {
    listen(listener) {
      onData = listener;
    },
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    isClosed: () => socket.readableEnded || socket.destroyed,
    close: () => void socket.destroy(),
  };
}

export interface PipeWriter {
  /** Writes all there is to write; the other side sees the end. */
  finish(text: string): void;
  close(): void;
}

export function writePipe(descriptor: number): PipeWriter {
  const socket = new Socket({ fd: descriptor, readable: false, writable: true });
  socket.on('error', () => {});
  return {
    finish: (text) => void socket.write(text, () => socket.destroy()),
    close: () => void socket.destroy(),
  };
}

function openPipe(name: string, access: number): number {
  const descriptor = fs.openSync(name, access | O_NONBLOCK | O_NOFOLLOW);
  if (fs.fstatSync(descriptor).isFIFO()) return descriptor;
  fs.closeSync(descriptor);
  throw new Fatal(`${name} is no longer the pipe that was made`);
}
