import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { Judge, RuntimeOptions } from '../../src/index.js';
import { commandRuntime } from '../support/commands.js';
import { testSandbox } from '../support/confined.js';

const MISSING = process.platform === 'darwin' ? 'cell' : 'seatbelt';

/** Lets everything run inside of the sandbox, whatever that is. */
const insideOnly: Judge = async () => ({
  kind: 'allow',
  confined: true,
  grants: [],
  rule: { name: 'test' },
});

function withoutSandbox(options: RuntimeOptions = {}): ReturnType<typeof commandRuntime> {
  return commandRuntime({ sandboxMode: 'workspace-write', sandbox: { backend: MISSING }, ...options });
}

describe('a sandbox that cannot start', () => {
  test('is told to the model and to whoever listens, and nothing has run', async () => {
    const runtime = withoutSandbox({ judge: insideOnly });
    const { text } = await runtime.call('exec_command', { cmd: 'echo x >made', login: false });
    expect(text).toMatch(/sandbox could not start: \w+: /);
    expect(runtime.record.of('sandbox.failed')).toEqual([
      expect.objectContaining({ reason: expect.stringContaining(`${MISSING}: `) as unknown }),
    ]);
    expect(existsSync(path.join(runtime.folder, 'made'))).toBe(false);
  });

  test.each([
    ['nobody may be asked', { approvalPolicy: 'never' }],
    ['nobody answers', {}],
    ['a sandbox is required', { sandboxRequired: true, approver: async () => ({ kind: 'once' }) }],
  ] satisfies readonly [string, RuntimeOptions][])('keeps a command from running where %s', async (_, options) => {
    const runtime = withoutSandbox(options);
    const { text } = await runtime.call('exec_command', { cmd: 'echo x >made', login: false });
    expect(text).toMatch(/sandbox could not start|needs? a sandbox|no sandbox/i);
    expect(existsSync(path.join(runtime.folder, 'made'))).toBe(false);
  });

  test('is a question where somebody can be asked, who then knows that it would run outside', async () => {
    const questions: unknown[] = [];
    const runtime = withoutSandbox({
      approver: async ({ rule, permission }) => {
        questions.push({ rule: rule.name, confined: permission.confined });
        return { kind: 'deny' };
      },
    });
    await runtime.call('exec_command', { cmd: 'echo x >made', login: false });
    expect(questions).toEqual([{ rule: 'no-sandbox', confined: false }]);
    expect(existsSync(path.join(runtime.folder, 'made'))).toBe(false);
  });

  test('refuses a command that is started without a runtime, and reports it', async () => {
    const reports: unknown[] = [];
    const sandbox = testSandbox({ sandbox: { backend: MISSING }, onReport: (what) => reports.push(what) });
    expect(await sandbox.confinement()).toEqual({ kind: 'none', reason: expect.stringContaining(MISSING) as unknown });
    await expect(sandbox.run('/bin/sh', '-c', 'echo x >made')).rejects.toThrow(/^sandbox could not start: /);
    expect(reports).toEqual([{ kind: 'failed', reason: expect.stringContaining(MISSING) as unknown }]);
    expect(existsSync(path.join(sandbox.cwd, 'made'))).toBe(false);
  });
});
