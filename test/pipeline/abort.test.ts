import { describe, expect, test } from 'vitest';

import { textOutput } from '../../src/index.js';
import type { RuntimeOptions } from '../../src/index.js';
import { actingTool, functionCall, latch, testRuntime, textOf } from '../support/runtime.js';
import type { TestRuntime } from '../support/runtime.js';

const never = () => new Promise<never>(() => {});
const nothing = actingTool('act', async () => textOutput('done'));
const payload = functionCall('{}');

/** Runs a call whose step hangs, cancels it once the step was reached, and tells how it ended. */
async function abortedIn(stepOptions: (reached: () => void) => RuntimeOptions) {
  const step = latch();
  const controller = new AbortController();
  const runtime = testRuntime({ tools: [nothing], ...stepOptions(() => step.open()) });
  const call = runtime.runCall({ id: 'c1', name: 'act', payload }, { signal: controller.signal });
  await step.opened;
  controller.abort();
  const result = await call;
  return { outcome: result.outcome, text: textOf(result), events: runtime.record.events.map((event) => event.type) };
}

const TEXT = /^aborted by user after \d+\.\ds$/;

describe('a call can be cancelled', () => {
  const steps: readonly (readonly [step: string, options: (reached: () => void) => RuntimeOptions])[] = [
    ['in a hook before the call', (reached) => ({ hooks: [{ name: 'slow', beforeCall: () => (reached(), never()) }] })],
    [
      'while somebody is asked',
      (reached) => ({
        judge: () => ({ kind: 'ask', reason: 'sure?', rule: { name: 'test' }, confined: false, grants: [] }),
        approver: () => (reached(), never()),
      }),
    ],
    [
      'while the intent is recorded',
      (reached) => ({ journal: { intended: () => (reached(), never()), settled: async () => {} } }),
    ],
    [
      'while the tool runs',
      (reached) => ({
        tools: [
          actingTool(
            'act',
            (_, { signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => reject(new Error('stopped')));
                reached();
              }),
          ),
        ],
      }),
    ],
  ];

  test.each(steps)('%s', async (_, options) => {
    const { outcome, text, events } = await abortedIn(options);
    expect(outcome).toEqual({ kind: 'aborted', by: 'signal', afterRun: false });
    expect(text).toMatch(TEXT);
    expect(events.at(-1)).toBe('call.finished');
  });

  test('in a hook after the call, and the model hears that the tool had ended', async () => {
    const { outcome, text } = await abortedIn((reached) => ({
      hooks: [{ name: 'slow', afterCall: () => (reached(), never()) }],
    }));
    expect(outcome).toEqual({ kind: 'aborted', by: 'signal', afterRun: true });
    expect(text).toMatch(
      /^aborted by user after \d+\.\ds\nThe tool itself had already ended, so what it did stands\.$/,
    );
  });

  test('while it waits at the gate, and the next one does not wait for it', async () => {
    const first = latch();
    const controller = new AbortController();
    const ran: string[] = [];
    const runtime = testRuntime({
      tools: [
        actingTool('hold', async () => (await first.opened, textOutput('held'))),
        actingTool('act', async () => (ran.push('act'), textOutput('acted'))),
        actingTool('next', async () => (ran.push('next'), textOutput('next'))),
      ],
    });
    const held = runtime.runCall({ name: 'hold', payload });
    const waiting = runtime.runCall({ name: 'act', payload }, { signal: controller.signal });
    const next = runtime.runCall({ name: 'next', payload });
    controller.abort();
    expect((await waiting).outcome).toEqual({ kind: 'aborted', by: 'signal', afterRun: false });
    first.open();
    await Promise.all([held, next]);
    expect(ran).toEqual(['next']);
  });

  test('before it begins', async () => {
    const runtime = testRuntime({ tools: [nothing] });
    const { outcome } = await runtime.runCall({ name: 'act', payload }, { signal: AbortSignal.abort() });
    expect(outcome).toEqual({ kind: 'aborted', by: 'signal', afterRun: false });
  });
});

test('a tool that had all but finished when it was cancelled tells what really happened', async () => {
  const started = latch();
  const controller = new AbortController();
  const tool = actingTool('act', async (_, { signal }) => {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      started.open();
    });
    return textOutput('written');
  });
  const runtime = testRuntime({ tools: [tool] });
  const call = runtime.runCall({ name: 'act', payload }, { signal: controller.signal });
  await started.opened;
  controller.abort();
  expect(textOf(await call)).toBe('written');
});

test('a tool that ignores cancellation is left behind and the gate opens again', async () => {
  const started = latch();
  const controller = new AbortController();
  const runtime = testRuntime({ tools: [actingTool('stuck', () => (started.open(), never())), nothing] });
  const stuck = runtime.runCall({ name: 'stuck', payload }, { signal: controller.signal });
  const next = runtime.runCall({ name: 'act', payload });
  await started.opened;
  controller.abort();
  expect((await stuck).outcome.kind).toBe('aborted');
  expect(textOf(await next)).toBe('done');
});

test('an approver that says abort cancels the call in the name of the user', async () => {
  const runtime = testRuntime({
    tools: [nothing],
    judge: () => ({ kind: 'ask', reason: 'sure?', rule: { name: 'test' }, confined: false, grants: [] }),
    approver: async () => ({ kind: 'abort' }),
  });
  expect((await runtime.runCall({ name: 'act', payload })).outcome).toEqual({
    kind: 'aborted',
    by: 'user',
    afterRun: false,
  });
});

test('closing the runtime cancels what runs and what comes later', async () => {
  const started = latch();
  const tool = actingTool(
    'act',
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        started.open();
      }),
  );
  const runtime = testRuntime({ tools: [tool] });
  const running = runtime.runCall({ name: 'act', payload });
  await started.opened;
  await runtime.close();
  expect((await running).outcome.kind).toBe('aborted');
  expect((await runtime.runCall({ name: 'act', payload })).outcome.kind).toBe('aborted');
});

test('a listener that closes the runtime at the first event cancels that call too', async () => {
  const runtime: TestRuntime = testRuntime({
    tools: [nothing],
    listeners: [({ type }) => (type === 'call.started' ? runtime.close() : undefined)],
  });
  expect((await runtime.runCall({ name: 'act', payload })).outcome.kind).toBe('aborted');
});

test('a tool that was left behind is not heard any more', async () => {
  const started = latch();
  const controller = new AbortController();
  let speakLater = (): void => {};
  const tool = actingTool('act', (_, scope) => {
    speakLater = () => {
      scope.emit({ type: 'plan.updated', plan: [] });
      scope.capture().write(Buffer.from('late'), 'stdout');
    };
    started.open();
    return never();
  });
  const runtime = testRuntime({ tools: [tool] });
  const call = runtime.runCall({ name: 'act', payload }, { signal: controller.signal });
  await started.opened;
  controller.abort();
  await call;
  speakLater();
  expect(runtime.record.events.at(-1)?.type).toBe('call.finished');
});

test('one signal may cancel a hundred calls without a warning', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const controller = new AbortController();
  const tool = actingTool(
    'act',
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    { concurrency: 'shared' },
  );
  const runtime = testRuntime({ tools: [tool] });
  const calls = Array.from({ length: 100 }, () =>
    runtime.runCall({ name: 'act', payload }, { signal: controller.signal }),
  );
  controller.abort();
  expect(new Set((await Promise.all(calls)).map((result) => result.outcome.kind))).toEqual(new Set(['aborted']));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
