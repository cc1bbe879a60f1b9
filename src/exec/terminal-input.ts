/**
 * Typing into a terminal. The terminal takes only a few kilobytes until its program reads, and nothing tells when
 * there is room again, so what does not fit is tried again a little later.
 */
import fs from 'node:fs';

import { ToolFailure } from '../core/errors.js';

const RETRY_MS = 10;
/** Nobody types this much to a program that does not read. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface TerminalInput {
  /** Resolves when the terminal has taken all of it. */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

export function createTerminalInput(fd: number): TerminalInput {
  let closed = false;
  let waitingBytes = 0;
  let last: Promise<void> = Promise.resolve();

  async function writeAll(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) {
      if (closed) throw new ToolFailure('the program has ended');
      const written = await writeSome(fd, rest);
      rest = rest.subarray(written);
      waitingBytes -= written;
      if (written === 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  return {
    write(bytes) {
      if (waitingBytes + bytes.length > MOST_WAITING_BYTES) {
        throw new ToolFailure('the program does not read its input: what was typed before is still waiting');
      }
      waitingBytes += bytes.length;
      const turn = last.then(() => writeAll(bytes));
      last = turn.catch(() => {});
      return turn;
    },
    close() {
      closed = true;
    },
  };
}

/** Bytes that were taken; none when the terminal is full. */
function writeSome(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.write(fd, bytes, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') resolve(0);
      else reject(new ToolFailure('the program no longer reads its input', { cause: error }));
    });
  });
}
