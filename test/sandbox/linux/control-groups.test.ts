import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { findControlGroups } from '../../../src/sandbox/linux/control-groups.js';
import type { Limits } from '../../../src/sandbox/policy.js';
import { testSandbox, whyNot } from '../../support/confined.js';
import type { TestSandbox } from '../../support/confined.js';
import { CAN_RUN } from '../../support/test-runner.js';

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
    const { held } = findControlGroups(0);
    expect(held({ cpuSeconds: 1, fileBytes: 1 })).toEqual(['cpuSeconds', 'fileBytes']);
    expect(held({})).toEqual([]);
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
    // A limit that the kernel does not take.
    expect(() => groups.open({ memoryBytes: 1.5, processes: 1.5 })).toThrow('EINVAL');
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

  test('may be greater than those that hold already', async (ctx) => {
    const sandbox = await limited({ cpuSeconds: 10 ** 9 }, (why) => ctx.skip(why));
    const own = /^Max cpu time\s+(\S+)\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    expect(own?.[2]).toBeDefined();
    expect((await sandbox.run('/bin/true')).exit).toEqual({ kind: 'exited', code: 0 });
  });
});
