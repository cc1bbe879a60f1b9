/** Runs the built program as a user would. */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
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

/** Where the tests of all workers leave the compiled code of the program for each other. */
function sharedCode(): string {
  return path.join(process.env['TENON_HOME'] ?? '', 'cache');
}

/** A home in which the program need not be compiled again, which is much of what a short command takes. */
export function withCompiledCode(home: string): string {
  const own = path.join(home, 'cache');
  const isFolder = statSync(home, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder || existsSync(own) || !existsSync(sharedCode())) return home;
  mkdirSync(own, { mode: 0o700 });
  // The program puts a new file in the place of an old one, so that nobody else sees it.
  for (const name of namesIn(sharedCode())) linkSync(path.join(sharedCode(), name), path.join(own, name));
  return home;
}

/** What a run has compiled beyond what others had, others need not compile. */
function shareCompiledCode(home: string): void {
  const own = path.join(home, 'cache');
  for (const name of namesIn(own)) {
    const [file, shared] = [path.join(own, name), path.join(sharedCode(), name)];
    if (statSync(file).size <= (statSync(shared, { throwIfNoEntry: false })?.size ?? 0)) continue;
    const copy = path.join(home, `${name}.shared`);
    copyFileSync(file, copy);
    renameSync(copy, shared);
  }
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.bin')) : [];
}

export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  child.stdin.end(options.stdin ?? '');
  const result = await finished(child);
  if (result.code === 0 && options.home !== undefined) shareCompiledCode(options.home);
  return result;
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
