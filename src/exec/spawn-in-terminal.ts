/** Starts a program in a terminal of its own, as the leader of a session. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';

import type { ProcessExit, Terminal } from '../core/workspace.js';
import { childEnd, whyNot } from './child-end.js';
import { signalGroup } from './launch.js';
import type { TerminalLaunch } from './launch.js';
import type { PtyAddon } from './load-pty.js';
import { statOf } from './process-table.js';
import { sealDescriptor, sealedStdio } from './sealed-descriptors.js';
import { notStarted } from './spawn-with-pipes.js';
import type { Started } from './spawn-with-pipes.js';
import { createTerminalInput } from './terminal-input.js';
import type { TerminalInput } from './terminal-input.js';
import { createWire } from './terminal-wire.js';
import type { Pair, Wire } from './terminal-wire.js';
import { waitingMark } from './waiting-for-input.js';

const CTRL_C = 0x03;

/** Whoever leads a session and opens a terminal gets it as its own; the program then takes the shell's place. */
const OPEN_TERMINAL = 'exec 0<>"$0" 1>&0 2>&0; exec "$@"';

export type StartedInTerminal = Started & { readonly terminal: Terminal };

export function spawnInTerminal(launch: TerminalLaunch, addon: PtyAddon): Started | StartedInTerminal {
  const pair = openTerminal(addon, launch);
  let child: ChildProcess | undefined;
  // Before the program: once that runs, nothing may fail any more.
  const wire = createWire(pair, launch.onOutput, () => signalGroup(child?.pid, 'SIGKILL'));
  try {
    child = startIn(pair, launch);
  } catch (error) {
    wire.close();
    return { ...notStarted(''), exit: whyNot(error, launch) };
  }
  return follow(child, childEnd(child, launch), wire, {
    input: createTerminalInput(pair.master),
    resize: ({ columns, rows }) => addon.resize(pair.master, columns, rows),
    device: pair.device,
  });
}

function startIn({ name }: Pair, { argv, cwd, env, descriptors = [] }: TerminalLaunch): ChildProcess {
  const stdio = sealedStdio(['ignore', 'ignore', 'ignore', ...descriptors]);
  const words = [...throughShell(env), ...argv];
  return spawn('/bin/sh', ['-c', OPEN_TERMINAL, name, ...words], { cwd, env, detached: true, stdio });
}

/** A shell drops variables whose names it could not use, such as functions that bash exports; `env` brings them back. */
function throughShell(env: TerminalLaunch['env']): readonly string[] {
  const dropped = Object.entries(env).filter(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  return dropped.length === 0 ? [] : ['/usr/bin/env', ...dropped.map(([name, value]) => `${name}=${value}`)];
}

type Controls = {
  readonly input: TerminalInput;
  readonly resize: Terminal['resize'];
  readonly device: number;
};

function follow(
  child: ChildProcess,
  end: Promise<ProcessExit>,
  wire: Wire,
  { input, resize, device }: Controls,
): StartedInTerminal {
  const exit = end.then(async (how) => {
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
    kill: () => void signalGroup(child.pid, 'SIGKILL'),
    terminal: {
      resize(size) {
        if (!wire.closed) resize(size);
      },
      flushed: () => wire.flushed(),
      waiting: () => (child.pid === undefined ? undefined : waitingMark(child.pid, device)),
    },
  };
}

function foregroundOf(leader: number | undefined): number | undefined {
  return leader === undefined ? undefined : (statOf(leader)?.foregroundGroup ?? leader);
}

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
