/** Every row of the escape table, in every backend that works here, as every user. */
import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { HarnessReport } from './harness.js';
import { BACKENDS } from './row.js';
import type { BackendUnderTest, Finding } from './row.js';
import { ROWS, rowsOf } from './rows.js';
import { USERS, bundleHarness } from './run-harness.js';
import type { Harness, HarnessUser } from './run-harness.js';

const HARNESS_MS = process.env['TENON_DEEP'] === undefined ? 120_000 : 600_000;
const STANDS = USERS.flatMap((user) => BACKENDS.map((backend) => ({ user, backend, name: user.name })));

it('the table has all its rows', () => {
  const numbers = Array.from({ length: 50 }, (_, index) => `${index + 1}`);
  const ids = ROWS.map(({ id }) => id);
  expect(ids.filter((id) => /^\d+$/.test(id)).toSorted(byNumber)).toEqual(numbers);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.skipIf(os.platform() !== 'linux')('out of the sandbox', () => {
  let harness: Harness | undefined;
  const reports = new Map<string, HarnessReport>();
  beforeAll(async () => {
    harness = await bundleHarness();
    for (const user of USERS) await runAll(harness, user, reports);
  }, HARNESS_MS);
  afterAll(() => harness?.remove(), HARNESS_MS);

  describe.each(STANDS)('from $backend as $name', ({ user, backend }) => {
    it('it works wherever the kernel has what it takes', (context) => {
      const works = reports.get(key(user, backend))?.works;
      if (!mustWork(backend) && works !== '') return context.skip(`${backend}: ${works}`);
      expect(works).toBe('');
    });

    it.for(rowsOf(backend))('$id: $title', ({ id }, context) => {
      const report = reports.get(key(user, backend));
      if (report === undefined || report.works !== '') return context.skip(`${backend}: ${report?.works}`);
      const findings = report.rows[id];
      if (findings === undefined) return context.skip('left out by TENON_ESCAPE_ROWS');
      if ('skip' in findings) return context.skip(findings.skip);
      expect(findings).not.toEqual([]);
      expect(Object.fromEntries(findings.map(got))).toEqual(Object.fromEntries(findings.map(want)));
    });
  });
});

/** The backends of a user side by side: most of it is waiting. */
async function runAll({ run }: Harness, user: HarnessUser, reports: Map<string, HarnessReport>): Promise<void> {
  await Promise.all(BACKENDS.map(async (backend) => reports.set(key(user, backend), await run(user, backend))));
}

function key(user: HarnessUser, backend: BackendUnderTest): string {
  return `${backend} as ${user.name}`;
}

function byNumber(one: string, other: string): number {
  return Number(one) - Number(other);
}

/** What is not named may be missing on a machine, but a newer kernel has Landlock and namespaces for everybody. */
function mustWork(backend: BackendUnderTest): boolean {
  const named = process.env['TENON_EXPECT_BACKENDS']?.split(',') ?? [];
  return named.includes(backend) || ((backend === 'cell' || backend === 'landlock') && kernelSince(6, 1));
}

function kernelSince(major: number, minor: number): boolean {
  const [has = 0, hasMinor = 0] = os.release().split('.').map(Number);
  return has > major || (has === major && hasMinor >= minor);
}

function got({ name, got: result }: Finding): readonly [string, string] {
  return [name, result];
}

/** Of several that would be right, the one that came. */
function want({ name, got: result, want: right }: Finding): readonly [string, string] {
  return [name, right !== result && right.split('|').includes(result) ? result : right];
}
