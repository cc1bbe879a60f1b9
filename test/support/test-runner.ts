/** The real runner for a test, and programs that are started in it and can be spoken to. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';

import type { Architecture } from '../../src/sandbox/linux/system-calls.js';
import type { Program } from '../../src/sandbox/runner/program.js';
import { RUNNER_PATH, openRunner } from '../../src/sandbox/runner/runner.js';
import type { LoadedProgram, Runner } from '../../src/sandbox/runner/runner.js';
import { tempFolder } from './temp-folder.js';

/** Of this machine, as far as there is a runner for it. */
export const ARCHITECTURE: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

export const CAN_RUN = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');

/** Closed when the test is over. */
export function testRunner(): Runner {
  const runner = openRunner(ARCHITECTURE, [tempFolder(), '/dev/shm']);
  onTestFinished(() => runner.close());
  return runner;
}

export type Started = {
  readonly child: ChildProcess;
  readonly loaded: LoadedProgram;
  /** Resolves once it has printed so much. */
  printed(text: string): Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly output: string }>;
};

/** What it gets beside its program and the runner, from 5 on: descriptors of ours, then so many pipes. */
export type MoreDescriptors = { readonly descriptors?: readonly number[]; readonly pipes?: number };

/** Its input stays open until `child.stdin` is ended. */
export function startProgram(program: Program, { descriptors = [], pipes = 0 }: MoreDescriptors = {}): Started {
  const runner = testRunner();
  const loaded = runner.load(program);
  onTestFinished(() => loaded.close());
  const more = Array.from({ length: pipes }, () => 'pipe' as const);
  const child = spawn(RUNNER_PATH, [], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit', loaded.descriptor, runner.descriptor, ...descriptors, ...more],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A character for each byte.
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  return {
    child,
    loaded,
    async printed(text) {
      while (!output.includes(text)) await new Promise((resolve) => child.stdout?.once('data', resolve));
    },
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, output }));
    }),
  };
}
