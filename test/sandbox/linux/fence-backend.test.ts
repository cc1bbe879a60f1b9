import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { testSandbox, whyNot } from '../../support/confined.js';
import { tempFolder } from '../../support/temp-folder.js';
import { CAN_RUN } from '../../support/test-runner.js';

describe.skipIf(!CAN_RUN)('behind the fence', () => {
  test('what is hidden cannot be read, and what lies beside it can', async (ctx) => {
    const folder = tempFolder();
    const [secret, beside] = [path.join(folder, 'secret'), path.join(folder, 'beside')];
    for (const file of [secret, beside]) writeFileSync(file, path.basename(file));
    const sandbox = testSandbox({ sandbox: { backend: 'landlock', hide: [secret] } });
    const reason = await whyNot(sandbox, 'landlock');
    if (reason !== undefined) ctx.skip(reason);
    const { exit, output } = await sandbox.run('/bin/cat', beside, secret);
    expect(exit).toEqual({ kind: 'exited', code: 1 });
    expect(output).toMatch(/^beside.*Permission denied/s);
  });

  test('a file that disappears beside a hidden one keeps no command from starting', async (ctx) => {
    const folder = tempFolder();
    const [secret, beside] = [path.join(folder, 'secret'), path.join(folder, 'beside')];
    mkdirSync(secret);
    writeFileSync(beside, '');
    const sandbox = testSandbox({ sandbox: { backend: 'landlock', hide: [secret] } });
    const reason = await whyNot(sandbox, 'landlock');
    if (reason !== undefined) ctx.skip(reason);
    const before = await sandbox.run('/bin/true');
    rmSync(beside);
    const after = await sandbox.run('/bin/true');
    expect([before, after].map(({ exit }) => exit)).toEqual([1, 2].map(() => ({ kind: 'exited', code: 0 })));
  });
});
