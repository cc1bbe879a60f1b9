/**
 * Starts a program in a terminal of its own. Our hold on the program's side of the terminal keeps its last words from
 * being thrown away when it ends, and lets us write a mark behind them that proves that all of them have arrived.
 */
import fs from 'node:fs';
import { constants } from 'node:os';
import type { ReadStream } from 'node:tty';

import { messageOf } from '../core/errors.js';
import type { ProcessExit, Terminal } from '../core/workspace.js';
import { DRAIN_AFTER_KILL_MS, signalGroup } from './launch.js';
import type { TerminalLaunch } from './launch.js';
import type { Pty } from './load-pty.js';
import type { Started } from './spawn-with-pipes.js';
import { createTerminalInput } from './terminal-input.js';
import { createMarkReader, markBytes, markPrefix } from './terminal-marks.js';
import { waitingMark } from './waiting-for-input.js';

const SLAVE_FLAGS = fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK;
const MARK_RETRY_MS = 10;

export type StartedInTerminal = Started & { readonly terminal: Terminal };

export async function spawnInTerminal(launch: TerminalLaunch, { addon, helperPath }: Pty): Promise<StartedInTerminal> {
  const tty = await import('node:tty');
  const [file = '', ...args] = launch.argv;
  const { columns, rows } = launch.terminal;
  const env = Object.entries(launch.env).map(([name, value]) => `${name}=${value}`);
  let onExit: (exit: ProcessExit) => void = () => {};
  const ended = new Promise<ProcessExit>((resolve) => {
    onExit = resolve;
  });
  const { cwd } = launch;
  const forked = addon.fork(file, args, env, cwd, columns, rows, -1, -1, true, helperPath, (code, signal) =>
    onExit(exitOf(code, signal)),
  );
  const { fd, pid, pty } = forked;
  const slave = openSlave(forked);
  const wire = createWire(new tty.ReadStream(fd), slave, launch);
  const input = createTerminalInput(fd);
  const exit = ended.then(async (how) => {
    input.close();
    await wire.flushed();
    wire.close();
    return wire.failure() ?? how;
  });
  return {
    pid,
    exit,
    write: (bytes) => input.write(bytes),
    kill: () => void signalGroup(pid, 'SIGKILL'),
    terminal: {
      resize: (size) => addon.resize(fd, size.columns, size.rows),
      flushed: () => wire.flushed(),
      waiting: () => waitingMark(pid, pty),
    },
  };
}

/** At once, before the program can have ended. */
function openSlave({ fd, pid, pty }: ReturnType<Pty['addon']['fork']>): number {
  try {
    return fs.openSync(pty, SLAVE_FLAGS);
  } catch (error) {
    signalGroup(pid, 'SIGKILL');
    fs.closeSync(fd);
    throw error;
  }
}

type Wire = {
  flushed(): Promise<void>;
  failure(): ProcessExit | undefined;
  close(): void;
};

/** Our side of the terminal: output comes out of it, and marks go around through the program's side. */
function createWire(reader: ReadStream, slave: number, { onOutput }: TerminalLaunch): Wire {
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
      }
    },
  });
  reader.on('data', (chunk: Buffer) => output.write(chunk));
  // A terminal that breaks has nothing more to say; whoever waits for a mark gives up in time.
  reader.on('error', () => {});

  async function flushed(): Promise<void> {
    if (closed) return;
    marks += 1;
    const number = marks;
    let timer: NodeJS.Timeout | undefined;
    const arrived = new Promise<void>((resolve) => {
      awaited.set(number, resolve);
      timer = setTimeout(resolve, DRAIN_AFTER_KILL_MS);
    });
    writeMark(slave, markBytes(prefix, number), () => awaited.has(number) && !closed);
    await arrived;
    clearTimeout(timer);
    awaited.delete(number);
  }

  return {
    flushed,
    failure: () => failure,
    close() {
      closed = true;
      output.end();
      reader.destroy();
      fs.closeSync(slave);
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

function exitOf(code: number, signal: number): ProcessExit {
  if (signal === 0) return { kind: 'exited', code };
  const [name = `signal ${signal}`] = Object.entries(constants.signals).find(([, number]) => number === signal) ?? [];
  return { kind: 'signalled', signal: name, number: signal };
}
