/** Runs the built program as a user would. */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { cpSync, existsSync, statSync } from 'node:fs';
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
    env: { ...process.env, ...(home !== undefined && { TENON_HOME: withCompiledCode(home) }), ...env },
  });
}

/** A home in which the program need not be compiled again, which is much of what a short command takes. */
export function withCompiledCode(home: string): string {
  const shared = path.join(process.env['TENON_HOME'] ?? '', 'cache');
  const own = path.join(home, 'cache');
  const isFolder = statSync(home, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder && !existsSync(own) && existsSync(shared)) cpSync(shared, own, { recursive: true });
  return home;
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
