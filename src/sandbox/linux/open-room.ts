/** Makes a room and takes hold of it: its namespaces by descriptors, its sockets as Node's own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket as Datagrams } from 'node:dgram';
import fs from 'node:fs';
import type { Server } from 'node:net';

import { stepProblem } from '../runner/outcome.js';
import type { LoadedProgram, Runner } from '../runner/runner.js';
import type { Identity } from './cell.js';
import { DIRECT_PORTS, compileRoom } from './room.js';
import type { Architecture } from './system-calls.js';

export type Room = {
  readonly user: number;
  readonly network: number;
  readonly ipc: number;
  /** Listens in the room's network. */
  readonly proxy: Server;
  readonly resolver: Datagrams;
  /** Listen where the resolver sends those who know of no proxy, by the port they stand for. */
  readonly direct: readonly { readonly server: Server; readonly port: number }[];
  /** Closes what is ours of it; the rest goes with the last command in it. */
  close(): void;
};

/** Where the runner is when its fourth descriptor is taken by the channel. */
const RUNNER_BESIDE_CHANNEL = '/proc/self/fd/5';
const DEADLINE_MS = 5_000;

/** Throws when there can be none here. */
export async function openRoom(runner: Runner, architecture: Architecture, identity: Identity): Promise<Room> {
  const loaded = runner.load(compileRoom(architecture, identity));
  try {
    return await enter(loaded, runner);
  } finally {
    loaded.close();
  }
}

async function enter(loaded: LoadedProgram, runner: Runner): Promise<Room> {
  const child = spawn(RUNNER_BESIDE_CHANNEL, [], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', loaded.descriptor, 'ipc', runner.descriptor],
  });
  const sockets = new Map<string, unknown>();
  try {
    await takeSockets(child, sockets, () => stepProblem(loaded.outcome()));
    return roomOf(child.pid ?? 0, sockets);
  } catch (error) {
    for (const socket of sockets.values()) (socket as Server | Datagrams).close();
    throw error;
  } finally {
    if (child.connected) child.disconnect();
  }
}

/** By what each is for. */
function takeSockets(
  child: ChildProcess,
  sockets: Map<string, unknown>,
  problem: () => string | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error?: Error): void => {
      clearTimeout(giveUp);
      child.removeAllListeners('exit');
      reject(error ?? new Error(problem() ?? 'its network namespace could not be made'));
    };
    const giveUp = setTimeout(() => {
      child.kill('SIGKILL');
      fail(new Error('its network namespace was not made in time'));
    }, DEADLINE_MS);
    child.once('error', fail);
    child.once('exit', () => fail());
    child.on('message', (message, socket) => {
      sockets.set((message as { role: string }).role, socket);
      if (sockets.size < ROLES.length) return;
      clearTimeout(giveUp);
      child.removeAllListeners('exit');
      resolve();
    });
  });
}

const ROLES = ['proxy', 'resolver', ...Object.keys(DIRECT_PORTS)];

function roomOf(pid: number, sockets: ReadonlyMap<string, unknown>): Room {
  const [user, network, ipc] = openNamespaces(pid);
  const proxy = sockets.get('proxy') as Server;
  const resolver = sockets.get('resolver') as Datagrams;
  const direct = Object.entries(DIRECT_PORTS).map(([role, port]) => ({ server: sockets.get(role) as Server, port }));
  // Whoever forgets to close a runtime must not wait for them for ever.
  for (const socket of [proxy, resolver, ...direct.map(({ server }) => server)]) socket.unref();
  return {
    user,
    network,
    ipc,
    proxy,
    resolver,
    direct,
    close() {
      for (const { server } of direct) server.close();
      proxy.close();
      resolver.close();
      for (const descriptor of [user, network, ipc]) fs.closeSync(descriptor);
    },
  };
}

/** All three or none. */
function openNamespaces(pid: number): readonly [user: number, network: number, ipc: number] {
  const opened: number[] = [];
  const open = (name: string): number => {
    const descriptor = fs.openSync(`/proc/${pid}/ns/${name}`, 'r');
    opened.push(descriptor);
    return descriptor;
  };
  try {
    return [open('user'), open('net'), open('ipc')];
  } catch (error) {
    for (const descriptor of opened) fs.closeSync(descriptor);
    throw error;
  }
}
