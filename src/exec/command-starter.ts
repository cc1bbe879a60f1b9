/** Starts commands: decides their environment, claims what they will start, and gives them a pipe or a terminal. */
import os from 'node:os';
import path from 'node:path';

import { abortOf, callOff } from '../core/abort.js';
import { DEFAULT_ENVIRONMENT_POLICY } from '../core/environment-policy.js';
import type { EnvironmentPolicy } from '../core/environment-policy.js';
import { isOwnError, messageOf } from '../core/errors.js';
import { lazy } from '../core/lazy.js';
import { once } from '../core/once.js';
import type { Spawner } from '../core/spawner.js';
import type { Command, Process, ProcessOwner, Program, SandboxMark } from '../core/workspace.js';
import { afterLogin, commandEnvironment, ownEnvironment } from './environment.js';
import { folderProblem } from './folder-problem.js';
import { createLedger } from './ledger.js';
import type { Claim } from './ledger.js';
import { signalGroup } from './launch.js';
import type { Launch } from './launch.js';
import { loadPty } from './load-pty.js';
import type { PtyAddon } from './load-pty.js';
import { createLoginShell } from './login-shell.js';
import { ownCommands } from './own-commands.js';
import { atMost } from './pause.js';
import { createPipeSupply } from './pipe-supply.js';
import { spawnAttached } from './spawn-attached.js';
import { spawnInTerminal } from './spawn-in-terminal.js';
import type { StartedInTerminal } from './spawn-in-terminal.js';
import { spawnToRead } from './spawn-to-read.js';
import { notStarted, spawnThrough, spawnWithPipes } from './spawn-with-pipes.js';
import type { Started } from './spawn-with-pipes.js';

export type StarterOptions = {
  /** Which variables commands get. */
  readonly environmentPolicy?: EnvironmentPolicy;
  /** Folders that confined commands write to: nothing in there is run outside of a sandbox. Default: none. */
  readonly untrustedFolders?: readonly string[];
  /** Where files of the running program are. Default: the system's folder for temporary ones. */
  readonly runFolder?: string;
  /** Opens who starts programs in our place; undefined or an error where nobody does. Default: nobody. */
  readonly openSpawner?: () => Promise<Spawner | undefined>;
  /** Loads what makes terminals; throws where there is nothing. */
  readonly loadPty?: () => PtyAddon;
};

export interface CommandStarter extends ProcessOwner {
  start(command: Command): Promise<Process>;
  /** What would be started. */
  prepare(command: Command): Promise<Program>;
  /** Begins with what the first command would have to wait for. */
  getReady(): void;
}

/** So much of an output is read at once, if there is so much. */
const PORTION_BYTES = 256 * 1024;

/** How long a killed command is given before its children are looked for. */
const KILL_MS = 20;

export function createCommandStarter(options: StarterOptions): CommandStarter {
  const policy = options.environmentPolicy ?? DEFAULT_ENVIRONMENT_POLICY;
  const owner = `${process.pid}-${Math.random().toString(16).slice(2, 10)}`;
  const folder = path.resolve(options.runFolder ?? os.tmpdir(), `tenon-${owner}`);
  const ledger = createLedger(owner, folder);
  const spawner = once(async () => options.openSpawner?.().catch(() => undefined));
  const pipes = createPipeSupply(folder, spawner);
  const loginShell = createLoginShell({
    filter: (reported) => afterLogin(reported, policy),
    claim: (label) => ledger.claim(label),
    spawn: async (launch) => spawnToRead(launch, await spawner(), () => pipes.take()),
    untrusted: options.untrustedFolders ?? [],
  });
  // One for all: whatever is read has been taken before the next is.
  const portion = Buffer.allocUnsafeSlow(PORTION_BYTES);
  let pty: PtyAddon | undefined;
  const withOwnCommands = lazy(ownCommands);
  // Once: reading it costs a good part of what a command does.
  const environment = commandEnvironment(process.env, policy);

  async function launchIn(launch: Launch, { terminal }: Command): Promise<Started | StartedInTerminal> {
    if (terminal === undefined) {
      const piped = { ...launch, portion, pipe: await pipes.take(), input: 'closed' } as const;
      return (await spawnThrough(await spawner(), piped)) ?? spawnWithPipes(piped);
    }
    const problem = await folderProblem(launch.cwd);
    if (problem !== undefined) return notStarted(problem);
    try {
      pty ??= (options.loadPty ?? loadPty)();
    } catch (error) {
      const notice = `no terminal can be had here (${firstLine(messageOf(error))}); it runs with plain pipes`;
      return { ...spawnWithPipes({ ...launch, portion, pipe: await pipes.take(), input: 'open' }), notice };
    }
    return spawnInTerminal({ ...launch, terminal }, pty);
  }

  async function prepare({ argv, cwd, sandbox, signal, attached, through }: Command): Promise<Program> {
    // A person at a terminal wants colours and pages as they are used to them.
    if (attached) return { argv, cwd, env: { ...ownEnvironment(process.env, policy), ...sandboxMarks(sandbox) } };
    // Where it is confined by somebody else, its profile is read there.
    if (sandbox && !through) return { argv, cwd, env: { ...environment, ...sandboxMarks(sandbox) } };
    const prepared = await unlessAborted(loginShell.prepare(argv, environment, through), signal);
    return { argv: prepared.argv, cwd, env: { ...withOwnCommands()(prepared.env), ...sandboxMarks(sandbox) } };
  }

  /** It is in a session that is not ours, of which nothing may be ended; it ends by itself, or is killed by its number. */
  async function startAttached({ onOutput, through, ...command }: Command): Promise<Process> {
    const program = await prepare({ onOutput, ...command });
    const launch = (await through?.(program)) ?? program;
    const started = spawnAttached({ ...launch, onOutput });
    return {
      pid: started.pid,
      exit: started.exit,
      interrupt: () => {},
      async end() {
        started.kill();
        await started.exit;
      },
    };
  }

  async function startOwned(command: Command): Promise<Process> {
    const { onOutput, through, lendsOutput = false } = command;
    // Pipes, and who makes them, are needed only later, and are made ready meanwhile.
    if (command.terminal === undefined) pipes.makeAhead();
    const program = await prepare(command);
    const claim = await ledger.claim(command.label);
    const marked = { ...program, env: { ...program.env, ...claim.env } };
    const launch = (await through?.(marked)) ?? { ...marked, descriptors: [] };
    const env = { ...launch.env, ...claim.env };
    return owned(await launchIn({ ...launch, env, onOutput, lendsOutput }, command), claim);
  }

  return {
    prepare,
    getReady() {
      pipes.makeAhead();
      withOwnCommands();
    },
    async start(command) {
      try {
        return await (command.attached ? startAttached(command) : startOwned(command));
      } catch (error) {
        if (isOwnError(error)) throw error;
        // Nothing has been started: what can fail comes before.
        const { pid, exit } = notStarted(messageOf(error));
        return { pid, exit, interrupt: () => {}, end: async () => {} };
      }
    },
    processes: () => ledger.processes(),
    async close() {
      await ledger.close();
      await Promise.all([pipes.close(), spawner.started()?.then((opened) => opened?.close())]);
    },
  };
}

/** A profile that takes its time holds nobody back who no longer waits for the command. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  const over = new AbortController();
  try {
    return await Promise.race([work, abortOf(signal, over.signal)]);
  } finally {
    callOff(over);
  }
}

function owned(started: Started | StartedInTerminal, claim: Claim): Process {
  claim.started(started.pid);
  const exit = started.exit.then((how) => {
    claim.ended();
    return how;
  });
  return {
    pid: started.pid,
    exit,
    notice: started.notice,
    ...(started.write && { write: started.write }),
    ...('terminal' in started && { terminal: started.terminal }),
    interrupt: () => void signalGroup(started.pid, 'SIGINT'),
    async end() {
      started.kill();
      // Most commands are gone by then, and looking for what is left of them is done once.
      await atMost(KILL_MS, exit);
      await claim.end();
    },
  };
}

/** Set only when they are true, so that a program may simply ask whether they are there. */
function sandboxMarks(sandbox: SandboxMark | undefined): Record<string, string> {
  if (sandbox === undefined) return {};
  return { TENON_SANDBOX: sandbox.name, ...(!sandbox.network && { TENON_SANDBOX_NETWORK_DISABLED: '1' }) };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
