import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { compileCell } from '../../../src/sandbox/linux/cell.js';
import { becomeCommand } from '../../../src/sandbox/linux/confinement-steps.js';
import { findControlGroups } from '../../../src/sandbox/linux/control-groups.js';
import { findDevices } from '../../../src/sandbox/linux/find-devices.js';
import type { Limits } from '../../../src/sandbox/policy.js';
import { BINARIES } from '../../../src/sandbox/runner/binaries.js';
import { testSandbox, whyNot } from '../../support/confined.js';
import type { TestSandbox } from '../../support/confined.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ARCHITECTURE, CAN_RUN } from '../../support/test-runner.js';
import { policyOf } from './requests.js';

const MB = 2 ** 20;
const BOTH: Limits = { memoryBytes: 64 * MB, processes: 20 };
const USER = process.getuid?.() ?? 0;

/** Why these cannot be limited here, if so. */
function whyUnlimited(...limits: readonly (keyof Limits)[]): string | undefined {
  const held = findControlGroups(0).held(BOTH);
  const missing = limits.filter((limit) => !held.includes(limit));
  return missing.length === 0 ? undefined : `no control group can be made here for ${missing.join(' and ')}`;
}

describe.skipIf(!CAN_RUN)('control groups', () => {
  test('hold what every kernel does, beside what they hold themselves', () => {
    const groups = findControlGroups(0);
    expect(groups.held({ cpuSeconds: 1, fileBytes: 1 })).toEqual(['cpuSeconds', 'fileBytes']);
    expect(groups.held({})).toEqual([]);
    // Somebody without rights is bound by the limit that each user has.
    expect(findControlGroups(1000).held({ processes: 1 })).toEqual(['processes']);
  });

  test('are made with their limits, are joined by a file, and are gone when they are closed', (ctx) => {
    const reason = whyUnlimited('memoryBytes', 'processes');
    if (reason !== undefined) ctx.skip(reason);
    const group = findControlGroups(USER).open(BOTH);
    const folders = group.files.map((file) => path.dirname(file));
    expect(group.files.map((file) => path.basename(file))).toEqual(['cgroup.procs', 'cgroup.procs']);
    const limits = folders.flatMap((folder) =>
      ['memory.limit_in_bytes', 'memory.max', 'pids.max']
        .map((name) => path.join(folder, name))
        .filter(existsSync)
        .map((file) => Number(readFileSync(file, 'utf8'))),
    );
    expect(limits.toSorted((a, b) => a - b)).toEqual([20, 64 * MB]);
    group.close();
    return expect.poll(() => folders.filter(existsSync), { timeout: 5_000 }).toEqual([]);
  });

  test('are made for the limits that are asked for only', () => {
    const group = findControlGroups(USER).open({ cpuSeconds: 1 });
    expect(group.files).toEqual([]);
    group.close();
  });

  test('of two who ask at the same time are two', (ctx) => {
    const reason = whyUnlimited('processes');
    if (reason !== undefined) ctx.skip(reason);
    const [one, other] = [1, 2].map(() => findControlGroups(USER));
    const first = one?.open({ processes: 20 });
    try {
      const second = other?.open({ processes: 20 });
      second?.close();
      expect(second?.files).not.toEqual(first?.files);
    } finally {
      first?.close();
    }
  });

  test('of which one cannot be made leave none behind', (ctx) => {
    const reason = whyUnlimited('memoryBytes', 'processes');
    if (reason !== undefined) ctx.skip(reason);
    const groups = findControlGroups(USER);
    const good = groups.open(BOTH);
    const parents = good.files.map((file) => path.dirname(path.dirname(file)));
    good.close();
    const ours = (): readonly string[] =>
      parents.flatMap((folder) => readdirSync(folder).filter((name) => name.startsWith(`tenon-${process.pid}-`)));
    // A limit that the kernel does not take, whichever of them is made first.
    for (const limits of [{ processes: -2 }, { memoryBytes: Number.NaN }])
      expect(() => groups.open({ ...BOTH, ...limits })).toThrow('EINVAL');
    return expect.poll(ours, { timeout: 5_000 }).toEqual([]);
  });
});

describe.skipIf(!CAN_RUN)('limits of a command', () => {
  async function limited(limits: Limits, skip: (reason: string) => never): Promise<TestSandbox> {
    const sandbox = testSandbox({ sandbox: { backend: 'cell', limits } });
    const reason = await whyNot(sandbox, 'cell');
    if (reason !== undefined) skip(reason);
    return sandbox;
  }

  test('of memory end one that takes more, and not one that takes less', async (ctx) => {
    const reason = whyUnlimited('memoryBytes');
    if (reason !== undefined) ctx.skip(reason);
    const sandbox = await limited({ memoryBytes: 64 * MB }, (why) => ctx.skip(why));
    // Reads so many bytes into memory before it looks for the end of the line.
    const take = (bytes: number): readonly string[] => [
      '/bin/sh',
      '-c',
      `head -c ${bytes} /dev/zero | tail -c ${bytes} | wc -c`,
    ];
    expect((await sandbox.run(...take(1 * MB))).output.trim()).toBe(String(MB));
    const { output } = await sandbox.run(...take(300 * MB));
    expect(output.trim()).not.toBe(String(300 * MB));
  });

  test('of processes refuse one too many, in all of its children together', async (ctx) => {
    const reason = whyUnlimited('processes');
    if (reason !== undefined) ctx.skip(reason);
    const sandbox = await limited({ processes: 20 }, (why) => ctx.skip(why));
    const script =
      'for i in 1 2 3 4 5 6 7 8; do sh -c "sleep 60 & sleep 60 & sleep 60 & sleep 60 &" & done; wait; echo through';
    const { output } = await sandbox.run('/bin/bash', '-c', script);
    expect(output).toMatch(/fork: .*(Resource temporarily unavailable|retry)|Cannot fork/);
  });

  test('of file sizes and processor time are the kernel’s own', async (ctx) => {
    const sandbox = await limited({ fileBytes: MB, cpuSeconds: 1 }, (why) => ctx.skip(why));
    const written = await sandbox.run('/bin/sh', '-c', 'head -c 2000000 /dev/zero >large; wc -c <large');
    expect(written.output).toContain(String(MB));
    const spun = await sandbox.run('/bin/sh', '-c', 'while :; do :; done');
    expect(spun.exit).toMatchObject({ kind: 'signalled' });
  });

  test('may be greater than those that hold already', (ctx) => {
    if (inCellUnder('1000', 600) !== 0) return ctx.skip('no cell can be made here');
    expect(inCellUnder('300', 600)).toBe(0);
  });
});

/** The end of a command in a cell whose launcher has a hard limit of processor time already. */
function inCellUnder(hard: string, cpuSeconds: number): number | null {
  const folder = tempFolder();
  const [binary, list] = [path.join(folder, 'runner'), path.join(folder, 'list')];
  writeFileSync(binary, Buffer.from(BINARIES[ARCHITECTURE].base64, 'base64'), { mode: 0o700 });
  const beginning = compileCell({
    policy: policyOf({ limits: { cpuSeconds } }),
    abilities: {
      architecture: ARCHITECTURE,
      landlock: 1,
      freshProc: false,
      openat2: true,
      watches: false,
      ...findDevices(),
    },
    evidence: 'none',
    groups: [],
    identity: { user: USER, group: process.getgid?.() ?? 0 },
  });
  const target = { file: '/bin/true', argv: ['true'], env: {}, cwd: absolutePath('/') };
  writeFileSync(list, becomeCommand(beginning, target).bytes);
  const script = 'ulimit -t "$0" && exec "$@"';
  return spawnSync('/bin/sh', ['-c', script, hard, binary, list], { cwd: '/' }).status;
}
