/** Starts a program of which only the output is wanted, and that until somebody has read enough. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';

import type { Spawned, Spawner } from '../core/spawner.js';
import type { Launch } from '../core/workspace.js';
import type { Pipe } from './pipe-supply.js';
import { sealedStdio } from './sealed-descriptors.js';

/** In a session of its own, without input. What it says about errors is heard by nobody. */
export type ReadProgram = {
  /** Ends when all who may write to it have closed it, which may be later than the program ends. */
  readonly output: Readable;
  readonly exit: Promise<unknown>;
};

/** Resolves to nothing when it could not be started. */
export type SpawnToRead = (launch: Launch) => Promise<ReadProgram | undefined>;

/** By somebody else, where that can be done. */
export async function spawnToRead(
  launch: Launch,
  spawner: Spawner | undefined,
  takePipe: () => Promise<Pipe | undefined>,
): Promise<ReadProgram | undefined> {
  if (spawner === undefined || !path.isAbsolute(launch.argv[0] ?? '')) return startByNode(launch);
  const pipe = await takePipe();
  return (pipe && (await startThrough(spawner, launch, pipe))) ?? startByNode(launch);
}

async function startThrough(spawner: Spawner, launch: Launch, pipe: Pipe): Promise<ReadProgram | undefined> {
  const errors = fs.openSync('/dev/null', 'w');
  let spawned: Spawned | undefined;
  try {
    spawned = await spawner.start({ ...launch, output: pipe.write, errors });
  } finally {
    // The program has its own.
    for (const descriptor of [errors, pipe.write, ...(spawned ? [] : [pipe.read])]) fs.closeSync(descriptor);
  }
  const { exit } = spawned ?? {};
  return exit && { output: new Socket({ fd: pipe.read, readable: true, writable: false }), exit };
}

function startByNode({ argv, cwd, env, descriptors }: Launch): ReadProgram | undefined {
  const [file = '', ...args] = argv;
  const stdio = sealedStdio(['ignore', 'pipe', 'ignore', ...descriptors]);
  const child = spawn(file, args, { cwd, env, detached: true, stdio });
  // Who could not be started has no number.
  child.once('error', () => {});
  const exit = new Promise((resolve) => child.once('exit', resolve));
  return child.pid === undefined || !child.stdout ? undefined : { output: child.stdout, exit };
}
