/**
 * Typing into a terminal. The terminal takes only a few kilobytes until its program reads, and nothing tells when
 * there is room again, so what does not fit is tried again a little later.
 */
import fs from 'node:fs';

import { ToolFailure } from '../core/errors.js';

const RETRY_MS = 10;
/** Nobody types this much to a program that does not read. */
export const MOST_WAITING_BYTES = 1024 * 1024;
export const NOT_READING = 'the program does not read its input: what was typed before is still waiting';

export interface TerminalInput {
  /** Resolves when the terminal has taken all of it. */
  write(bytes: Uint8Array): Promise<void>;
  /** Whether something was typed that the terminal has not taken yet. */
  readonly isStuck: boolean;
  /** Forgets what it has not taken yet. */
  discard(): void;
  /** Before the terminal is closed. */
  close(): void;
}

export function createTerminalInput(descriptor: number): TerminalInput {
  let closed = false;
  let waiting: readonly Typed[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Never waits: the number of a closed terminal may soon belong to some other file. */
  function writeWaiting(): void {
    timer = undefined;
    const [first, ...rest] = waiting;
    if (first === undefined) return;
    const { bytes, done, fail } = first;
    const written = writeSome(descriptor, bytes, fail);
    const left = bytes.subarray(written);
    waiting = left.length === 0 ? rest : [{ bytes: left, done, fail }, ...rest];
    if (left.length === 0) done();
    if (written > 0) writeWaiting();
    else timer = setTimeout(writeWaiting, RETRY_MS);
  }

  function discard(reason: string): void {
    clearTimeout(timer);
    for (const { fail } of waiting) fail(new ToolFailure(reason));
    waiting = [];
  }

  return {
    async write(bytes) {
      if (closed) throw new ToolFailure('the program has ended');
      const size = waiting.reduce((sum, typed) => sum + typed.bytes.length, bytes.length);
      if (size > MOST_WAITING_BYTES) throw new ToolFailure(NOT_READING);
      const taken = new Promise<void>((done, fail) => {
        waiting = [...waiting, { bytes, done, fail }];
      });
      if (timer === undefined) writeWaiting();
      await taken;
    },
    get isStuck() {
      return waiting.length > 0;
    },
    discard: () => discard('it was interrupted before it had read all of its input'),
    close() {
      closed = true;
      discard('the program has ended');
    },
  };
}

type Typed = { readonly bytes: Uint8Array; readonly done: () => void; readonly fail: (error: Error) => void };

/** Bytes that were taken: none when the terminal is full, all when it is broken, which is said to whoever typed. */
function writeSome(descriptor: number, bytes: Uint8Array, fail: (error: Error) => void): number {
  try {
    return fs.writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    fail(new ToolFailure('the program no longer reads its input', { cause: error }));
    return bytes.length;
  }
}
