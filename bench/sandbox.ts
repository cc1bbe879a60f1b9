/**
 * What confinement costs: `true` under each backend that works here beside a bare `spawn` of it, the same for a command
 * whose file accesses are watched, and many small files beside the same work unconfined.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { createCommandSandbox } from '../src/index.js';
import type { CommandSandbox, CommandSandboxOptions, SandboxBackend } from '../src/index.js';
import { measure } from './report.js';
import type { Way } from './report.js';

const ROUNDS = 150;
const FILES = 3_000;
const FILE_ROUNDS = 10;
const BACKENDS = ['landlock', 'cell', 'bubblewrap'] as const satisfies readonly SandboxBackend[];

export async function sandboxCost(): Promise<void> {
  // Not below a folder that commands may write to: there, what was found out about the machine is not kept.
  const folder = mkdtempSync(path.join(homedir(), '.tenon-bench-'));
  const cwd = path.join(folder, 'workspace');
  mkdirSync(path.join(cwd, '.git'), { recursive: true });
  const open = (options: CommandSandboxOptions): CommandSandbox =>
    createCommandSandbox({ cwd, home: path.join(folder, 'home'), ...options });
  const free = open({ sandboxMode: 'danger-full-access' });
  const boxes = await working(BACKENDS.map((backend) => [backend, open({ sandbox: { backend } })]));
  const watched = open({ sandbox: { backend: 'cell', watchPaths: true } });
  try {
    process.stdout.write('  starting `true`\n');
    await measure(
      [
        ['spawn', bareSpawn],
        ['unconfined', runIn(free, ['true'])],
        ...boxes.map(([name, box]): Way => [name, runIn(box, ['true'])]),
        ['cell, files watched', runIn(watched, ['true'])],
      ],
      ROUNDS,
    );
    process.stdout.write(`  unpacking and removing ${FILES} files\n`);
    const untar = ['sh', '-c', 'mkdir x && tar -C x -xf files.tar && rm -rf x'];
    makeArchive(cwd);
    await measure(
      [
        ['unconfined', runIn(free, untar)],
        ...boxes.map(([name, box]): Way => [name, runIn(box, untar)]),
        ['cell, files watched', runIn(watched, untar)],
      ],
      FILE_ROUNDS,
    );
  } finally {
    await Promise.all([free, watched, ...boxes.map(([, box]) => box)].map((box) => box.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

type Named = readonly [name: string, box: CommandSandbox];

async function working(boxes: readonly Named[]): Promise<readonly Named[]> {
  const kept: Named[] = [];
  for (const [name, box] of boxes) {
    const found = await box.confinement();
    if (found.kind === 'available') kept.push([name, box]);
    else process.stdout.write(`  ${name}: left out, ${found.reason}\n`);
  }
  return kept;
}

function runIn(box: CommandSandbox, argv: readonly string[]): () => Promise<void> {
  return async () => {
    const { exit } = await box.start({ argv, cwd: box.cwd, onOutput: () => {} });
    const how = await exit;
    if (how.kind !== 'exited' || how.code !== 0) throw new Error(`${argv[0]} failed: ${JSON.stringify(how)}`);
  };
}

function bareSpawn(): Promise<unknown> {
  return new Promise((resolve) => spawn('true', { stdio: 'ignore' }).once('exit', resolve));
}

function makeArchive(cwd: string): void {
  const files = path.join(cwd, 'files');
  mkdirSync(files);
  for (let file = 0; file < FILES; file++) writeFileSync(path.join(files, `${file}.txt`), `${file}\n`);
  execFileSync('tar', ['-C', cwd, '-cf', path.join(cwd, 'files.tar'), 'files']);
  rmSync(files, { recursive: true });
}
