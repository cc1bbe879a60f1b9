import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { safeParse } from 'zod/mini';

import { eventsJsonSchema } from '../scripts/events-schema.js';
import { runtimeEventSchema } from '../src/core/event-schema.js';
import { createRuntime, textOutput } from '../src/index.js';
import type { CallInput, Hook, RuntimeEvent, RuntimeOptions } from '../src/index.js';
import { NOT_HERE, ONLY_THE_WORKSPACE } from './support/commands.js';
import { actingTool, functionCall } from './support/runtime.js';
import { tempFolder } from './support/temp-folder.js';

/** What was told of the calls, as it would travel. */
async function eventsOf(calls: readonly CallInput[], options: RuntimeOptions): Promise<readonly RuntimeEvent[]> {
  const seen: RuntimeEvent[] = [];
  const listener = (event: RuntimeEvent): void => void seen.push(JSON.parse(JSON.stringify(event)) as RuntimeEvent);
  const runtime = createRuntime({ cwd: tempFolder(), home: tempFolder(), listeners: [listener], ...options });
  onTestFinished(() => runtime.close());
  for (const call of calls) await runtime.runCall(call);
  return seen;
}

function problemsIn(seen: readonly RuntimeEvent[]): readonly unknown[] {
  return seen.flatMap((event) => safeParse(runtimeEventSchema, event).error?.issues ?? []);
}

function command(cmd: string, more: object = {}): CallInput {
  return { name: 'exec_command', payload: functionCall({ cmd, login: false, ...more }) };
}

test('every event of calls that succeed, fail, are asked about, stopped and refused fits the published schema', async () => {
  const hook: Hook = { name: 'watch', beforeCall: () => ({ kind: 'continue' }), afterCall: () => ({ kind: 'keep' }) };
  const escalated = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  const seen = await eventsOf(
    [
      command('seq 1 1000'),
      command('echo yes', escalated),
      command('echo no', escalated),
      command(`touch ${tempFolder()}/outside`),
      command('mkdir .git'),
      command('echo new > made'),
      { name: 'exec_command', payload: { kind: 'local_shell', argv: ['true'], timeoutMs: 5_000 } },
      { name: 'read_file', payload: functionCall({ path: 'missing' }) },
      { name: 'update_plan', payload: functionCall({ plan: [{ step: 'a', status: 'pending' }] }) },
      { name: 'nothing', payload: { kind: 'custom', input: '' } },
    ],
    {
      hooks: [hook],
      approver: async ({ presentation }) =>
        presentation.command === 'echo yes' ? { kind: 'session' } : { kind: 'deny', note: 'no' },
      outputBudget: { unit: 'bytes', amount: 200 },
      sandbox: ONLY_THE_WORKSPACE,
    },
  );
  expect(problemsIn(seen)).toEqual([]);
  expect(new Set(seen.map((event) => event.type))).toEqual(
    new Set([
      'approval.decided',
      'approval.requested',
      'attempt.denied',
      'attempt.started',
      'call.finished',
      'call.started',
      'files.changed',
      'hook.finished',
      'output.delta',
      'output.kept',
      'plan.updated',
      'sandbox.reverted',
      'verdict.reached',
    ]),
  );
  expect(seen.map((event) => event.seq)).toEqual(seen.map((_, index) => index + 1));
});

test('so do those of a sandbox that cannot start', async () => {
  const secretly = actingTool('secretly', async (_, { workspace }) => {
    await workspace.spawn({ argv: ['true'], cwd: workspace.cwd, onOutput: () => {} });
    return textOutput('');
  });
  const seen = await eventsOf([{ name: 'secretly', payload: functionCall({}) }], {
    tools: [secretly],
    sandbox: { backend: NOT_HERE },
  });
  expect(problemsIn(seen)).toEqual([]);
  expect(seen.map((event) => event.type)).toEqual([
    'call.started',
    'verdict.reached',
    'attempt.started',
    'sandbox.failed',
    'call.finished',
  ]);
  expect(seen).toContainEqual(expect.objectContaining({ attempt: 1, reason: expect.stringContaining(NOT_HERE) }));
});

test('the published schema is the one in the source', () => {
  const published: unknown = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '../docs/events.schema.json'), 'utf8'),
  );
  expect(published).toEqual(eventsJsonSchema());
});
