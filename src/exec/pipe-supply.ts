/**
 * Real pipes for the output of programs. What Node makes by itself are sockets, which a program cannot open again
 * under the name `/dev/stdout`; and one for each stream, so that nobody knows which of two lines came first. Node has
 * no call for a pipe, so a few named ones are made ahead of time, opened at both ends, and their names removed.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import type { Spawner } from '../core/spawner.js';
import { makePrivateFolder } from '../store/private-folder.js';
import { sealedStdio } from './sealed-descriptors.js';
import { SYSTEM_PATH } from './system-path.js';

/** Both ends; whoever takes them closes them. */
export type Pipe = { readonly read: number; readonly write: number };

export interface PipeSupply {
  /** Has the first ones made before anybody waits for them. */
  makeAhead(): void;
  /** Undefined where no pipe can be made. */
  take(): Promise<Pipe | undefined>;
  close(): Promise<void>;
}

const BATCH = 16;
/** With fewer left, more are made before anybody has to wait for them. */
const LOW = 4;

/** Once it has failed this often in a row, it is not tried again. */
const MOST_FAILURES = 3;

/** `folder` is made when it is needed, for us alone, and removed in the end. */
export function createPipeSupply(folder: string, spawner?: () => Promise<Spawner | undefined>): PipeSupply {
  const ready: Pipe[] = [];
  let making: Promise<void> | undefined;
  let made = 0;
  let failures = 0;
  let closed = false;

  async function makeMore(): Promise<void> {
    const names = Array.from({ length: BATCH }, (_, index) => path.join(folder, `${made + index}`));
    made += BATCH;
    try {
      // Asked first: even for a folder that is there, to wait would let everything else go before.
      if (!fs.existsSync(path.dirname(folder))) await makePrivateFolder(path.dirname(folder));
      fs.mkdirSync(folder, { mode: 0o700, recursive: made > BATCH });
      if ((await (await spawner?.())?.makePipes(names)) !== true) await makeNamedPipes(names);
      for (const name of names) ready.push(openBothEnds(name));
      failures = 0;
    } catch {
      failures += 1;
    }
  }

  function refill(): void {
    making ??= makeMore().finally(() => {
      making = undefined;
    });
  }

  async function take(): Promise<Pipe | undefined> {
    const failuresBefore = failures;
    if (ready.length < LOW && failures < MOST_FAILURES && !closed) refill();
    if (ready.length === 0) await making;
    const pipe = ready.shift();
    if (pipe !== undefined || closed || failures > failuresBefore || failures === MOST_FAILURES) return pipe;
    // Others who waited were quicker.
    return take();
  }

  return {
    makeAhead() {
      if (made === 0 && !closed) refill();
    },
    take,
    async close() {
      closed = true;
      await making;
      for (const { read, write } of ready.splice(0)) {
        fs.closeSync(read);
        fs.closeSync(write);
      }
      await fs.promises.rm(folder, { recursive: true, force: true }).catch(() => {});
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
