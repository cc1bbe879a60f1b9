/** Compiles `native/runner.c` in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Binary } from '../src/sandbox/runner/binaries.js';

export const COMPILERS = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;

/** Undefined where there is no such compiler. */
export function buildRunner(compiler: string): Binary | undefined {
  const version = versionOf(compiler);
  if (version === undefined) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-runner-'));
  try {
    const output = path.join(folder, 'runner');
    execFileSync(path.join(import.meta.dirname, '../native/build.sh'), [compiler, output]);
    const bytes = readFileSync(output);
    return {
      compiler: version,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      base64: bytes.toString('base64'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function versionOf(compiler: string): string | undefined {
  try {
    return execFileSync(compiler, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(
      '\n',
      1,
    )[0];
  } catch {
    return undefined;
  }
}
