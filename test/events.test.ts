import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { safeParse } from 'zod/mini';

import { eventsJsonSchema } from '../scripts/events-schema.js';
import { runtimeEventSchema } from '../src/core/event-schema.js';
import { createRuntime } from '../src/index.js';
import type { Hook, RuntimeEvent } from '../src/index.js';
import { functionCall } from './support/runtime.js';
import { tempFolder } from './support/temp-folder.js';

test('every event of calls that succeed, fail, are asked about and are refused fits the published schema', async () => {
  const seen: RuntimeEvent[] = [];
  const hook: Hook = { name: 'watch', beforeCall: () => ({ kind: 'continue' }), afterCall: () => ({ kind: 'keep' }) };
  const runtime = createRuntime({
    cwd: tempFolder(),
    home: tempFolder(),
    hooks: [hook],
    approver: async ({ presentation }) =>
      presentation.command === 'echo no' ? { kind: 'deny', note: 'no' } : { kind: 'session' },
    outputBudget: { unit: 'bytes', amount: 200 },
    listeners: [(event) => void seen.push(JSON.parse(JSON.stringify(event)) as RuntimeEvent)],
  });
  const calls = [
    { name: 'exec_command', payload: functionCall({ cmd: 'seq 1 1000' }) },
    { name: 'exec_command', payload: functionCall({ cmd: 'echo no' }) },
    { name: 'exec_command', payload: { kind: 'local_shell', argv: ['true'], timeoutMs: 5_000 } as const },
    { name: 'read_file', payload: functionCall({ path: 'missing' }) },
    { name: 'update_plan', payload: functionCall({ plan: [{ step: 'a', status: 'pending' }] }) },
    { name: 'nothing', payload: { kind: 'custom', input: '' } as const },
  ];
  for (const call of calls) await runtime.runCall(call);
  const problems = seen.flatMap((event) => safeParse(runtimeEventSchema, event).error?.issues ?? []);
  expect(problems).toEqual([]);
  expect(new Set(seen.map((event) => event.type))).toEqual(
    new Set([
      'approval.decided',
      'approval.requested',
      'attempt.started',
      'call.finished',
      'call.started',
      'hook.finished',
      'output.delta',
      'output.kept',
      'plan.updated',
      'verdict.reached',
    ]),
  );
  expect(seen.map((event) => event.seq)).toEqual(seen.map((_, index) => index + 1));
});

test('the published schema is the one in the source', () => {
  const published: unknown = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '../docs/events.schema.json'), 'utf8'),
  );
  expect(published).toEqual(eventsJsonSchema());
});
