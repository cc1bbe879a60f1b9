import { describe, expect, test } from 'vitest';

import { loadConfig, runtimeOptions } from '../../src/index.js';
import { tempFolder } from '../support/temp-folder.js';

describe('the deadline of a question', () => {
  test.each<readonly [overrides: readonly string[], deadline: object | undefined]>([
    [[], undefined],
    [['approval_timeout_decision=abort'], { ms: 3_600_000, decision: 'abort' }],
    [['approval_timeout_seconds=90'], { ms: 90_000, decision: 'deny' }],
    [['approval_timeout_seconds=1.1', 'approval_timeout_decision=abort'], { ms: 1100, decision: 'abort' }],
    [['approval_timeout_seconds=0.001'], { ms: 1, decision: 'deny' }],
  ])('%j is %j', async (overrides, deadline) => {
    const options = runtimeOptions(await loadConfig({ home: tempFolder(), overrides }));
    expect(options.approvalDeadline).toEqual(deadline);
    expect('approvalDeadline' in options).toBe(deadline !== undefined);
  });

  test.each([
    ['approval_timeout_seconds=0', 'integer `0` is too small, the least is 0.001 at `approval_timeout_seconds`'],
    ['approval_timeout_seconds=soon', 'invalid type: string "soon", expected a number at `approval_timeout_seconds`'],
    [
      'approval_timeout_decision=once',
      'unknown variant `once`, expected one of `deny`, `abort` at `approval_timeout_decision`',
    ],
  ])('%s is explained', async (override, message) => {
    await expect(loadConfig({ home: tempFolder(), overrides: [override] })).rejects.toThrow(
      `-c ${override}: ${message}`,
    );
  });
});
