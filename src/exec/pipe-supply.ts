/**
 * Real pipes for the output of programs. What Node makes by itself are sockets, which a program cannot open again
 * under the name `/dev/stdout`; and one for each stream, so that nobody knows which of two lines came first. Node has
 * no call for a pipe, so a few named ones are made ahead of time, opened at both ends, and their names removed.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { sealedStdio } from './sealed-descriptors.js';
import { SYSTEM_PATH } from './system-path.js';

/** Both ends; whoever takes them closes them. */
export type Pipe = { readonly read: number; readonly write: number };

export interface PipeSupply {
  /** Undefined where no pipe can be made. */
  take(): Promise<Pipe | undefined>;
  close(): void;
}

const BATCH = 16;
/** With fewer left, more are made before anybody has to wait for them. */
const LOW = 4;

/** `folder` is made when it is needed, for us alone, and removed in the end. */
export function createPipeSupply(folder: string): PipeSupply {
  const ready: Pipe[] = [];
  let making: Promise<void> | undefined;
  let made = 0;
  let closed = false;

  async function makeMore(): Promise<void> {
    fs.mkdirSync(folder, { mode: 0o700, recursive: made > 0 });
    const names = Array.from({ length: BATCH }, (_, index) => path.join(folder, `${made + index}`));
    made += BATCH;
    await makeNamedPipes(names);
    const pipes = names.map(openBothEnds);
    if (closed) pipes.forEach(closePipe);
    else ready.push(...pipes);
  }

  /** Where none can be made, nobody tries again: the reason will be the same. */
  function refill(): void {
    making ??= makeMore().then(
      () => (making = undefined),
      () => (closed = true),
    ) as Promise<void>;
  }

  async function take(): Promise<Pipe | undefined> {
    if (ready.length < LOW && !closed) refill();
    if (ready.length === 0) await making;
    // Others who waited may have been quicker.
    return ready.shift() ?? (closed ? undefined : take());
  }

  return {
    take,
    close() {
      closed = true;
      ready.splice(0).forEach(closePipe);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeNamedPipes(names: readonly string[]): Promise<void> {
  const stdio = sealedStdio(['ignore', 'ignore', 'ignore']);
  const child = spawn('mkfifo', ['-m', '600', ...names], { env: { PATH: SYSTEM_PATH }, stdio });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with code ${code}`))));
  });
}

function openBothEnds(name: string): Pipe {
  try {
    // In this order and without blocking: whoever opens one end waits for the other.
    const read = fs.openSync(name, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    return { read, write: fs.openSync(name, fs.constants.O_WRONLY) };
  } finally {
    fs.unlinkSync(name);
  }
}

function closePipe({ read, write }: Pipe): void {
  fs.closeSync(read);
  fs.closeSync(write);
}
