/**
 * Starts a program in a terminal of its own. Our hold on the program's side of the terminal keeps its last words from
 * being thrown away when it ends, and lets us write a mark behind them that proves that all of them have arrived.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import tty from 'node:tty';

import { messageOf } from '../core/errors.js';
import type { ProcessExit, Terminal } from '../core/workspace.js';
import { childEnd, whyNot } from './child-end.js';
import { DRAIN_AFTER_KILL_MS, signalGroup } from './launch.js';
import type { TerminalLaunch } from './launch.js';
import type { PtyAddon } from './load-pty.js';
import { statOf } from './process-table.js';
import { sealDescriptor, sealedStdio } from './sealed-descriptors.js';
import { notStarted } from './spawn-with-pipes.js';
import type { Started } from './spawn-with-pipes.js';
import { createTerminalInput } from './terminal-input.js';
import { createMarkReader, markBytes, markPrefix } from './terminal-marks.js';
import { waitingMark } from './waiting-for-input.js';

const CTRL_C = 0x03;
const MARK_RETRY_MS = 10;

/** Whoever leads a session and opens a terminal gets it as its own; the program then takes the shell's place. */
const OPEN_TERMINAL = 'exec 0<>"$0" 1>&0 2>&0; exec "$@"';

export type StartedInTerminal = Started & { readonly terminal: Terminal };

export function spawnInTerminal(launch: TerminalLaunch, addon: PtyAddon): Started | StartedInTerminal {
  const pair = openTerminal(addon, launch);
  try {
    return follow(startIn(pair, launch), pair, launch, addon);
  } catch (error) {
    pair.close();
    fs.closeSync(pair.master);
    pair.masterClosed();
    return { ...notStarted(''), exit: whyNot(error, launch) };
  }
}

function startIn({ name }: Pair, { argv, cwd, env }: TerminalLaunch): ChildProcess {
  const stdio = sealedStdio(['ignore', 'ignore', 'ignore']);
  const words = [...throughShell(env), ...argv];
  return spawn('/bin/sh', ['-c', OPEN_TERMINAL, name, ...words], { cwd, env, detached: true, stdio });
}

/** A shell drops variables whose names it could not use, such as functions that bash exports; `env` brings them back. */
function throughShell(env: TerminalLaunch['env']): readonly string[] {
  const dropped = Object.entries(env).filter(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  return dropped.length === 0 ? [] : ['/usr/bin/env', ...dropped.map(([name, value]) => `${name}=${value}`)];
}

function follow(child: ChildProcess, pair: Pair, launch: TerminalLaunch, addon: PtyAddon): StartedInTerminal {
  const kill = (): void => void signalGroup(child.pid, 'SIGKILL');
  const wire = createWire(pair, launch, kill);
  const input = createTerminalInput(pair.master);
  const exit = childEnd(child, launch).then(async (how) => {
    input.close();
    await wire.flushed();
    wire.close();
    return wire.failure() ?? how;
  });
  return {
    pid: child.pid,
    exit,
    async write(bytes) {
      // A terminal that is full takes no Ctrl-C either, so the signal is sent that it would become.
      if (input.isStuck && bytes.length === 1 && bytes[0] === CTRL_C) {
        input.discard();
        signalGroup(foregroundOf(child.pid), 'SIGINT');
      } else await input.write(bytes);
    },
    kill,
    terminal: {
      resize(wanted) {
        if (!wire.closed) addon.resize(pair.master, wanted.columns, wanted.rows);
      },
      flushed: () => wire.flushed(),
      waiting: () => (child.pid === undefined ? undefined : waitingMark(child.pid, pair.device)),
    },
  };
}

function foregroundOf(leader: number | undefined): number | undefined {
  return leader === undefined ? undefined : (statOf(leader)?.foregroundGroup ?? leader);
}

type Pair = {
  readonly master: number;
  readonly slave: number;
  readonly name: string;
  /** The number by which it is known under any name. */
  readonly device: number;
  /** Closes the program's side; ours is closed by whoever reads from it. */
  close(): void;
  masterClosed(): void;
};

const SLAVE_FLAGS = fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK;

/** Our side can only be kept from children by covering it; the other is opened again so that it closes by itself. */
function openTerminal(addon: PtyAddon, { terminal: { columns, rows } }: TerminalLaunch): Pair {
  const { master, slave: inheritable, pty: name } = addon.open(columns, rows);
  const unseal = sealDescriptor(master);
  try {
    const slave = fs.openSync(name, SLAVE_FLAGS);
    return {
      master,
      slave,
      name,
      device: fs.fstatSync(slave).rdev,
      close: () => fs.closeSync(slave),
      masterClosed: unseal,
    };
  } catch (error) {
    fs.closeSync(master);
    unseal();
    throw error;
  } finally {
    fs.closeSync(inheritable);
  }
}

type Wire = {
  flushed(): Promise<void>;
  failure(): ProcessExit | undefined;
  close(): void;
  readonly closed: boolean;
};

/** Our side of the terminal: output comes out of it, and marks go around through the program's side. */
function createWire(pair: Pair, { onOutput }: TerminalLaunch, stop: () => void): Wire {
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
      let timer: NodeJS.Timeout | undefined;
      const arrived = new Promise<void>((resolve) => {
        awaited.set(number, resolve);
        timer = setTimeout(resolve, DRAIN_AFTER_KILL_MS);
      });
      writeMark(pair.slave, markBytes(prefix, number), () => awaited.has(number) && !closed);
      await arrived;
      clearTimeout(timer);
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
