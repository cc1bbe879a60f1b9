/**
 * The spawner: a runner that stays, and starts programs in our place. It forks in a tenth of the time that we take, and
 * does not hold us up meanwhile. It ends when we do, because its socket closes.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

import type { Spawned, Spawner } from '../../core/spawner.js';
import type { ProcessExit } from '../../core/workspace.js';
import type { Architecture } from '../linux/system-calls.js';
import { exitFrom } from './exit-from.js';
import { readNews } from './news.js';
import type { Program } from './program.js';
import { CHANGE_FOLDER, pipesProgram, spawnProgram } from './spawn-program.js';
import { RUNNER_PATH, openRunner } from './runner.js';
import { watchInherited } from './watch-inherited.js';

const ARCHITECTURES: ReadonlySet<string> = new Set<Architecture>(['x64', 'arm64']);

/** One that is stopped does not hear that it may go. */
const CLOSE_MS = 1_000;

/** `folders`: where its file may be made, the best first. Undefined where it cannot be had; it may still turn out to be broken. */
export function openSpawner(folders: readonly string[]): Spawner | undefined {
  if (process.platform !== 'linux' || !isArchitecture(process.arch)) return undefined;
  const runner = openRunner(process.arch, folders);
  try {
    return createSpawner(process.arch, runner.descriptor);
  } finally {
    // The spawner has its own.
    runner.close();
  }
}

function isArchitecture(name: string): name is Architecture {
  return ARCHITECTURES.has(name);
}

type Asked = {
  readonly firstOwnFault: number;
  readonly resolve: (spawned: Spawned | undefined) => void;
  readonly reject: (error: Error) => void;
};

function createSpawner(architecture: Architecture, runner: number): Spawner {
  const { socket, gone, kill } = startHelper(runner);
  const inherited = watchInherited();
  const asked = new Map<number, Asked>();
  const running = new Map<number, (exit: ProcessExit) => void>();
  let requests = 0;
  let isHeard = false;
  let isUsable = true;

  /** Nobody waits for us unless something of ours still runs. */
  function holdProgram(): void {
    if (asked.size + running.size > 0) socket.ref();
    else socket.unref();
  }

  function started(id: number, pid: number): void {
    const who = asked.get(id);
    if (who === undefined) return;
    asked.delete(id);
    const exit = new Promise<ProcessExit>((resolve) => running.set(pid, resolve));
    who.resolve({ pid, exit });
  }

  function stopped(id: number, step: number): void {
    const who = asked.get(id);
    if (who === undefined) return;
    asked.delete(id);
    if (step < who.firstOwnFault) isUsable = false;
    who.resolve(undefined);
  }

  function ended(pid: number, status: number): void {
    running.get(pid)?.(exitFrom(status));
    running.delete(pid);
  }

  function ask(program: Program): Promise<Spawned | undefined> {
    const firstOwnFault = program.steps.findIndex(({ what }) => what === CHANGE_FOLDER);
    requests += 1;
    const id = Buffer.alloc(4);
    id.writeUInt32LE(requests);
    const answer = new Promise<Spawned | undefined>((resolve, reject) => {
      asked.set(requests, { firstOwnFault, resolve, reject });
    });
    holdProgram();
    socket.write(Buffer.concat([id, program.bytes]));
    return answer;
  }

  readNews(socket, ({ what, about, value }) => {
    isHeard = true;
    if (what === 'started') started(about, value);
    else if (what === 'stopped') stopped(about, value);
    else ended(about, value);
    holdProgram();
  });

  void gone.then(() => {
    isUsable = false;
    inherited.close();
    for (const who of asked.values()) {
      if (isHeard) who.reject(new Error('what starts programs was ended from outside'));
      else who.resolve(undefined);
    }
    asked.clear();
    for (const [pid, resolve] of running) {
      endGroup(pid);
      resolve({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
    }
    running.clear();
  });

  return {
    async start(request) {
      if (!isUsable || !inherited.isSame()) return undefined;
      return ask(spawnProgram(architecture, request));
    },
    async makePipes(names) {
      if (!isUsable) return false;
      const exit = await (await ask(pipesProgram(architecture, names)))?.exit;
      return exit?.kind === 'exited' && exit.code === 0;
    },
    async close() {
      isUsable = false;
      socket.ref();
      socket.end();
      const impatience = setTimeout(kill, CLOSE_MS);
      await gone;
      clearTimeout(impatience);
    },
  };
}

type Helper = { readonly socket: Socket; readonly gone: Promise<void>; readonly kill: () => void };

function startHelper(runner: number): Helper {
  const child = spawn(RUNNER_PATH, ['and', 'stay'], {
    argv0: 'tenon-spawner',
    cwd: '/',
    env: {},
    // A session of its own: a Ctrl-C at our terminal is not meant for it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', runner],
  });
  const socket = child.stdio[3] as Socket;
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    socket.once('close', () => resolve());
  });
  // What cannot be sent is noticed when it is gone.
  socket.on('error', () => {});
  child.unref();
  socket.unref();
  return { socket, gone, kill: () => void child.kill('SIGKILL') };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
