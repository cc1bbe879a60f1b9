/** Runs the built program as a user would. */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import path from 'node:path';

export const PROGRAM = path.join(import.meta.dirname, '../../dist/tenon.cjs');

export type CliOptions = {
  readonly cwd?: string;
  readonly home?: string;
  readonly stdin?: string;
  readonly env?: Record<string, string>;
};
export type CliResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export function startCli(args: readonly string[], { cwd, home, env }: CliOptions = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...process.env, ...(home !== undefined && { TENON_HOME: home }), ...env },
  });
}

export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  child.stdin.end(options.stdin ?? '');
  return finished(child);
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  const [stdout, stderr] = [child.stdout, child.stderr].map(async (stream) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' };
}
