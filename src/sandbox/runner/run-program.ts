/** Runs a program of system calls by itself, to its end, and gives what it printed. */
import { spawn } from 'node:child_process';

import { messageOf } from '../../core/errors.js';
import { stepProblem } from './outcome.js';
import type { Program } from './program.js';
import { RUNNER_PATH } from './runner.js';
import type { Runner } from './runner.js';

export type Ran = {
  readonly code: number | null;
  /** Why it came to no end, in words. */
  readonly problem: string | undefined;
  readonly output: Buffer;
  readonly errors: string;
};

const DEADLINE_MS = 5_000;

/** `argv` is what starts the runner, by default itself. */
export function runProgram(program: Program, runner: Runner, argv: readonly string[] = [RUNNER_PATH]): Promise<Ran> {
  const loaded = runner.load(program);
  const [file = '', ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: '/',
      env: {},
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe', loaded.descriptor, runner.descriptor],
    });
    const [output, errors] = [collect(child.stdout), collect(child.stderr)];
    let isOver = false;
    const end = (code: number | null, error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      const problem = error === undefined ? stepProblem(loaded.outcome()) : messageOf(error);
      loaded.close();
      resolve({ code, problem, output: Buffer.concat(output), errors: Buffer.concat(errors).toString().trim() });
    };
    child.once('error', (error) => end(null, error));
    child.once('close', (code) => end(code));
  });
}

function collect(stream: NodeJS.ReadableStream | null): readonly Buffer[] {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}
