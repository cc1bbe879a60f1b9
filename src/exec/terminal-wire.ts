/**
 * Our side of a terminal: output comes out of it, and marks go around through the program's side. Our hold on that side
 * keeps the program's last words from being thrown away when it ends; a mark behind them proves that all have arrived.
 */
import fs from 'node:fs';
import tty from 'node:tty';

import { messageOf } from '../core/errors.js';
import type { ProcessExit } from '../core/workspace.js';
import { DRAIN_AFTER_KILL_MS } from './launch.js';
import type { Launch } from './launch.js';
import { atMost } from './pause.js';
import { createMarkReader, markBytes, markPrefix } from './terminal-marks.js';

const MARK_RETRY_MS = 10;

/** The two sides of a terminal. */
export type Pair = {
  readonly master: number;
  readonly slave: number;
  readonly name: string;
  /** The number by which it is known under any name. */
  readonly device: number;
  /** Closes the program's side; ours is closed by whoever reads from it. */
  close(): void;
  masterClosed(): void;
};

export interface Wire {
  /** Resolves when everything that was printed before has arrived, or cannot any more. */
  flushed(): Promise<void>;
  /** Why output could not be taken. */
  failure(): ProcessExit | undefined;
  close(): void;
  readonly closed: boolean;
}

export function createWire(pair: Pair, onOutput: Launch['onOutput'], stop: () => void): Wire {
  const prefix = markPrefix(String(Math.floor(Math.random() * 1e9)));
  const awaited = new Map<number, () => void>();
  let marks = 0;
  let closed = false;
  let failure: ProcessExit | undefined;
  const output = createMarkReader(prefix, {
    onMark: (number) => awaited.get(number)?.(),
    onOutput(chunk) {
      try {
        onOutput(chunk, 'stdout');
      } catch (error) {
        failure ??= { kind: 'not_started', reason: `its output could not be taken: ${messageOf(error)}` };
        stop();
      }
    },
  });
  const reader = new tty.ReadStream(pair.master);
  reader.on('data', (chunk: Buffer) => output.write(chunk));
  // A terminal that breaks has nothing more to say; whoever waits for a mark gives up in time.
  reader.on('error', () => {});
  reader.once('close', () => pair.masterClosed());

  return {
    async flushed() {
      if (closed) return;
      marks += 1;
      const number = marks;
      const arrived = new Promise<void>((resolve) => awaited.set(number, resolve));
      writeMark(pair.slave, markBytes(prefix, number), () => awaited.has(number) && !closed);
      await atMost(DRAIN_AFTER_KILL_MS, arrived);
      awaited.delete(number);
    },
    failure: () => failure,
    close() {
      closed = true;
      output.end();
      reader.destroy();
      pair.close();
      for (const giveUp of awaited.values()) giveUp();
    },
    get closed() {
      return closed;
    },
  };
}

/** A terminal that is full or held up takes the mark, or the rest of it, later, as long as somebody waits for it. */
function writeMark(slave: number, mark: Buffer, isAwaited: () => boolean): void {
  if (mark.length === 0 || !isAwaited()) return;
  let written = 0;
  try {
    written = fs.writeSync(slave, mark);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
  }
  if (written < mark.length) setTimeout(() => writeMark(slave, mark.subarray(written), isAwaited), MARK_RETRY_MS);
}
