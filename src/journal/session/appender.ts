/**
 * Adds lines to the file of a session. A line is there as a whole, or everything ends: once one could not be written, none
 * is any more, because what follows would tell of something else than what happened.
 */
import { closeSync, fdatasync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

import { messageOf } from '../../core/errors.js';
import type { SessionLine, SessionLog } from '../../core/session-log.js';

export type Appender = Omit<SessionLog, 'id'>;

export type AppenderOptions = {
  /** For messages. */
  readonly file: string;
  /** Open for adding; closed with the appender. */
  readonly descriptor: number;
  /** How long it is. */
  readonly size: number;
  /** Resolves when the file's name would outlive a power cut. */
  readonly named?: Promise<void>;
};

export function createAppender({ file, descriptor, size: before, named }: AppenderOptions): Appender {
  let size = before;
  /** Not even what was there before need be on the disk. */
  let synced = -1;
  let syncing: Promise<void> | undefined;
  let failure: Error | undefined;
  let closed = false;

  /** What stopped the record once stops it for good. */
  function fail(error: unknown): Error {
    failure ??= new Error(`the session in ${file} cannot be kept: ${messageOf(error)}`, { cause: error });
    return failure;
  }

  async function sync(): Promise<void> {
    const reached = size;
    try {
      await Promise.all([flush(descriptor), named]);
      synced = reached;
    } catch (error) {
      // Another try might succeed although what should have been written is lost.
      throw fail(error);
    } finally {
      syncing = undefined;
    }
  }

  return {
    append(line) {
      if (failure) throw failure;
      try {
        checkUnchanged(descriptor, size);
        size += writeLine(descriptor, line, size);
      } catch (error) {
        throw fail(error);
      }
    },
    // Who comes while one sync runs waits for its end, and then shares the next with all others who came.
    async durable() {
      const wanted = size;
      while (synced < wanted) {
        if (failure) throw failure;
        await (syncing ??= sync());
      }
    },
    close() {
      if (closed) return;
      closed = true;
      const close = (): void => closeSync(descriptor);
      failure ??= new Error(`the session in ${file} is closed`);
      if (syncing) void syncing.then(close, close);
      else close();
    },
  };
}

function checkUnchanged(descriptor: number, size: number): void {
  const now = fstatSync(descriptor);
  if (now.nlink === 0) throw new Error('the session was removed by another process');
  if (now.size !== size) throw new Error('the session was changed by another process');
}

/** In one piece; more only where the system took less. Returns its length. */
function writeLine(descriptor: number, line: SessionLine, size: number): number {
  // Its type comes first, so that who looks for some lines need not read the others.
  const { type, ...rest } = line;
  const bytes = Buffer.from(`${JSON.stringify({ type, ...rest })}\n`);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
  } catch (error) {
    takeBack(descriptor, size);
    throw error;
  }
  return bytes.length;
}

function takeBack(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size);
  } catch {
    // Half a line at the end is cut off by whoever opens the session.
  }
}

async function flush(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}
