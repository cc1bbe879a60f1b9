/** How fast output comes through, beside a program that only reads it, and how much memory that takes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createRuntime } from '../src/index.js';
import type { Runtime } from '../src/index.js';
import { measure } from './report.js';
import type { Way } from './report.js';

const MEGABYTE = 1024 * 1024;
const ROUNDS = 5;
const SIZES_MB = [10, 100, 1_000, 10_000];

export async function outputCost(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'tenon-bench-'));
  const runtime = createRuntime({ cwd: tmpdir(), home, sandboxMode: 'danger-full-access', listeners: [() => {}] });
  const ways: readonly Way[] = [
    ['1 GB into cat > /dev/null', () => bare(`${print(1_000)} | cat > /dev/null`)],
    ['1 GB into Node, only read', () => bare(print(1_000))],
    ['1 GB into exec_command', () => run(runtime, print(1_000))],
  ];
  await measure(ways, ROUNDS);
  for (const size of SIZES_MB) await reportMemory(size, () => run(runtime, print(size)));
  await runtime.close();
  rmSync(home, { recursive: true, force: true });
}

/** Lines of text, which is what programs print. */
function print(megabytes: number): string {
  return `yes 'a line of output as programs print it' | head -c ${megabytes * MEGABYTE}`;
}

async function run(runtime: Runtime, cmd: string): Promise<void> {
  const args = { cmd, login: false, yield_time_ms: 30_000 };
  const ended = new Promise<void>((resolve) => {
    const stop = runtime.on(({ type }) => {
      if (type !== 'session.ended') return;
      stop();
      resolve();
    });
  });
  const payload = { kind: 'function', arguments: JSON.stringify(args) } as const;
  const { outcome } = await runtime.runCall({ name: 'exec_command', payload });
  if (outcome.kind !== 'completed') throw new Error(JSON.stringify(outcome));
  const { session } = (outcome.output.details ?? {}) as { session?: number };
  // What takes longer goes on as a session.
  if (session !== undefined) await ended;
}

function bare(script: string): Promise<unknown> {
  const child = spawn('/bin/bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', () => {});
  child.stderr.on('data', () => {});
  return new Promise((resolve) => child.once('close', resolve));
}

async function reportMemory(megabytes: number, work: () => Promise<unknown>): Promise<void> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  await work();
  clearInterval(timer);
  process.stdout.write(`  ${String(megabytes).padStart(6)} MB of output: ${(peak / MEGABYTE).toFixed(0)} MB at most\n`);
}
