import { expect, test } from 'vitest';

import { builtinTools } from '../../src/index.js';
import { functionCall, testRuntime, textOf } from '../support/runtime.js';

async function update(args: unknown) {
  const runtime = testRuntime({ builtinTools });
  const text = textOf(await runtime.runCall({ id: 'c1', name: 'update_plan', payload: functionCall(args) }));
  const [event] = runtime.record.of('plan.updated');
  return { text, told: event && { callId: event.callId, plan: event.plan, explanation: event.explanation } };
}

test('the plan is told to whoever listens', async () => {
  const plan = [
    { step: 'Look', status: 'completed' },
    { step: 'Leap', status: 'in_progress' },
  ];
  expect(await update({ plan, explanation: 'looked' })).toEqual({
    text: 'Plan updated',
    told: { callId: 'c1', plan, explanation: 'looked' },
  });
});

test('an empty plan is a plan', async () => {
  expect(await update({ plan: [] })).toEqual({
    text: 'Plan updated',
    told: { callId: 'c1', plan: [], explanation: undefined },
  });
});

test('the steps of another tool set are understood', async () => {
  const steps = [{ id: '1', description: 'Look', status: 'pending' }];
  expect((await update({ steps })).told?.plan).toEqual([{ step: 'Look', status: 'pending' }]);
});

test.each<readonly [string, unknown, RegExp]>([
  ['no plan', {}, /missing field `plan`/],
  [
    'an unknown status',
    { plan: [{ step: 'a', status: 'done' }] },
    /unknown variant `done`, expected one of `pending`, `in_progress`, `completed` at `plan\.0\.status`/,
  ],
  ['an unknown field', { plan: [], mood: 'good' }, /unknown field `mood`/],
  [
    'an unknown field of a step',
    { plan: [{ step: 'a', status: 'pending', owner: 'b' }] },
    /unknown field `owner` at `plan\.0`/,
  ],
])('%s is refused and nothing is told', async (_, args, problem) => {
  const { text, told } = await update(args);
  expect(text).toMatch(/^failed to parse function arguments: /);
  expect(text).toMatch(problem);
  expect(told).toBeUndefined();
});
