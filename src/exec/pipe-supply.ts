/**
 * Real pipes for the output of programs. What Node makes by itself are sockets, which a program cannot open again
 * under the name `/dev/stdout`; and one for each stream, so that nobody knows which of two lines came first. Node has
 * no call for a pipe, so a few named ones are made ahead of time, opened at both ends, and their names removed.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { sealedStdio } from './sealed-descriptors.js';

/** Both ends; whoever takes them closes them. */
export type Pipe = { readonly read: number; readonly write: number };

export interface PipeSupply {
  /** Undefined where no pipe can be made. */
  take(): Promise<Pipe | undefined>;
  close(): void;
}

const BATCH = 32;
/** With fewer left, more are made before anybody has to wait for them. */
const LOW = 8;

/** `folder` must be ours alone, and is removed in the end. */
export function createPipeSupply(folder: string): PipeSupply {
  const ready: string[] = [];
  let making: Promise<void> | undefined;
  let made = 0;
  let failed = false;

  async function makeMore(): Promise<void> {
    try {
      fs.mkdirSync(folder, { mode: 0o700 });
    } catch {
      // It is there since the first time, or cannot be made, which is noticed below.
    }
    const names = Array.from({ length: BATCH }, (_, index) => path.join(folder, `${made + index}`));
    made += BATCH;
    if (await makePipes(names)) ready.push(...names);
    else failed = true;
    making = undefined;
  }

  return {
    async take() {
      if (ready.length < LOW && !failed) making ??= makeMore();
      if (ready.length === 0) await making;
      const name = ready.shift();
      if (name !== undefined) return openBothEnds(name);
      // Others who waited were quicker.
      return failed ? undefined : this.take();
    },
    close() {
      failed = true;
      ready.length = 0;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makePipes(names: readonly string[]): Promise<boolean> {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin` };
  const child = spawn('mkfifo', ['-m', '600', ...names], { env, stdio: sealedStdio(['ignore', 'ignore', 'ignore']) });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

function openBothEnds(name: string): Pipe {
  // In this order and without blocking: whoever opens one end waits for the other.
  const read = fs.openSync(name, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    return { read, write: fs.openSync(name, fs.constants.O_WRONLY) };
  } catch (error) {
    fs.closeSync(read);
    throw error;
  } finally {
    fs.unlinkSync(name);
  }
}
