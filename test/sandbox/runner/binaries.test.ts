import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

import { COMPILERS, buildRunner, versionOf } from '../../../scripts/compile-runner.js';
import { BINARIES } from '../../../src/sandbox/runner/binaries.js';
import { createProgram } from '../../../src/sandbox/runner/program.js';
import type { openRunner } from '../../../src/sandbox/runner/runner.js';
import { tempFolder } from '../../support/temp-folder.js';
import { CAN_RUN } from '../../support/test-runner.js';

const ARCHITECTURES = ['x64', 'arm64'] as const;
const MACHINES = { x64: 62, arm64: 183 } as const;

describe.each(ARCHITECTURES)('the embedded runner for %s', (architecture) => {
  const { base64, sha256, compiler } = BINARIES[architecture];
  const bytes = Buffer.from(base64, 'base64');

  test('has the hash that is told, and is a static program for its machine', () => {
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(bytes.toString('base64')).toBe(base64);
    expect(bytes.toString('latin1', 0, 4)).toBe('\u007fELF');
    expect({ kind: bytes.readUInt16LE(16), machine: bytes.readUInt16LE(18) }).toEqual({
      kind: 2,
      machine: MACHINES[architecture],
    });
  });

  test('is what its source gives, byte for byte', (ctx) => {
    const here = versionOf(COMPILERS[architecture]);
    if (here !== compiler) ctx.skip(`it was built by ${compiler}, and here is ${here ?? 'none'}`);
    expect(buildRunner(COMPILERS[architecture])).toEqual(BINARIES[architecture]);
  });
});

test('the runner for arm64 runs the program that its first argument names', (ctx) => {
  if (spawnSync('qemu-aarch64', ['--version']).status !== 0) ctx.skip('qemu-aarch64 is not installed');
  const folder = tempFolder();
  const [binary, list] = [path.join(folder, 'runner'), path.join(folder, 'list')];
  writeFileSync(binary, Buffer.from(BINARIES.arm64.base64, 'base64'), { mode: 0o700 });
  const program = createProgram('arm64');
  const made = path.join(folder, 'made');
  const opened = program.open('making a file', 'openat', [-100, program.text(made), 0o1101, 0o600]);
  program.call('writing to it', 'write', [opened, program.text('through a result'), 16]);
  program.call('opening nothing', 'openat', [-100, program.text('/no/such'), 0], { mayFail: true });
  program.call('telling', 'write', [1, program.text('hello from elsewhere'), 20]);
  program.call('ending', 'exit_group', [7]);
  program.call('never reached', 'write', [1, program.text('later'), 5]);
  writeFileSync(list, program.build().bytes);

  const { status, stdout } = spawnSync('qemu-aarch64', [binary, list], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 7, stdout: 'hello from elsewhere' });
  expect(readFileSync(made, 'utf8')).toBe('through a result');
});

test('a runner whose bytes are not those of its hash is refused', async (ctx) => {
  if (!CAN_RUN) ctx.skip(`there is no runner for ${process.platform} on ${process.arch}`);
  const folder = tempFolder();
  const file = path.join(folder, 'runner.mjs');
  await build({
    entryPoints: [path.join(import.meta.dirname, '../../../src/sandbox/runner/runner.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, source.replaceAll('"f0VMRg', '"f0VMRh'));
  const damaged = (await import(pathToFileURL(file).href)) as { openRunner: typeof openRunner };
  for (const architecture of ARCHITECTURES) {
    expect(() => damaged.openRunner(architecture, [folder])).toThrow(
      'the embedded runner is damaged; install the package again',
    );
  }
});
