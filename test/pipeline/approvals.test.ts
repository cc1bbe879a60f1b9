import { describe, expect, onTestFinished, test } from 'vitest';
import { object, safeParse, string } from 'zod/mini';

import { runtimeEventSchema } from '../../src/core/event-schema.js';
import { absolutePath, answeredElsewhere, defineTool, textOutput } from '../../src/index.js';
import type { Approver, Decision, Judge, PendingApproval, ProposedRule, RuntimeOptions } from '../../src/index.js';
import { inWords } from '../../src/pipeline/deadline.js';
import { functionCall, latch, testRuntime, textOf } from '../support/runtime.js';
import type { TestRuntime } from '../support/runtime.js';

const asks: Judge = () => ({ kind: 'ask', reason: 'sure?', rule: { name: 'test' }, confined: false, grants: [] });

/** Calls of it overlap, so that several can be asked about at once. */
const touch = defineTool({
  name: 'touch',
  description: 'Touches a file.',
  input: object({ path: string() }),
  concurrency: 'shared',
  intent: ({ path }) => ({ effects: [{ kind: 'write', path: absolutePath(path) }] }),
  run: ({ path }) => textOutput(`touched ${path}`),
});

function askingRuntime(options: RuntimeOptions): TestRuntime {
  const runtime = testRuntime({ tools: [touch], judge: asks, ...options });
  onTestFinished(() => runtime.close());
  return runtime;
}

function touching(path: string, id: string) {
  return { id, name: 'touch', payload: functionCall({ path }) };
}

/** Resolves once that many questions have been asked. */
function questions(runtime: TestRuntime, count: number): Promise<void> {
  const all = latch();
  runtime.on(() => {
    if (runtime.record.of('approval.requested').length === count) all.open();
  });
  return all.opened;
}

describe('several questions at once', () => {
  test('are listed, the oldest first, and each gets its own answer in whatever order they come', async () => {
    const runtime = askingRuntime({ approver: answeredElsewhere });
    const asked = questions(runtime, 3);
    const calls = ['/a', '/b', '/c'].map((path) => runtime.runCall(touching(path, `call${path}`)));
    await asked;
    expect(runtime.approvals.list().map(({ id, request }) => [id, request.intent.effects])).toEqual([
      ['call/a', [{ kind: 'write', path: '/a' }]],
      ['call/b', [{ kind: 'write', path: '/b' }]],
      ['call/c', [{ kind: 'write', path: '/c' }]],
    ]);
    expect(runtime.approvals.answer('call/c', { kind: 'once' })).toBe(true);
    expect(runtime.approvals.answer('call/a', { kind: 'deny', note: 'not a' })).toBe(true);
    expect(runtime.approvals.list().map(({ id }) => id)).toEqual(['call/b']);
    expect(runtime.approvals.answer('call/b', { kind: 'abort' })).toBe(true);
    const results = await Promise.all(calls);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(['rejected', 'aborted', 'completed']);
    expect(results.map(textOf)).toEqual([
      'rejected by user: not a',
      expect.stringMatching(/^aborted by user/),
      'touched /c',
    ]);
    expect(runtime.approvals.list()).toEqual([]);
  });

  test('of calls with the same id do not mix', async () => {
    const runtime = askingRuntime({ approver: answeredElsewhere });
    const asked = questions(runtime, 2);
    const calls = ['/a', '/b'].map((path) => runtime.runCall(touching(path, 'same')));
    await asked;
    expect(runtime.record.of('approval.requested').map(({ callId, id }) => [callId, id])).toEqual([
      ['same', 'same'],
      ['same', 'same#2'],
    ]);
    runtime.approvals.answer('same#2', { kind: 'once' });
    runtime.approvals.answer('same', { kind: 'deny', note: 'not a' });
    expect((await Promise.all(calls)).map(textOf)).toEqual(['rejected by user: not a', 'touched /b']);
  });

  test('of one id after the other do not mix either: an answer that comes late reaches nobody', async () => {
    const runtime = askingRuntime({ approver: answeredElsewhere });
    const late: boolean[] = [];
    runtime.on((event) => {
      if (event.type !== 'approval.requested') return;
      late.push(runtime.approvals.answer('same', { kind: 'once' }));
      runtime.approvals.answer(event.id, { kind: 'deny', note: 'not this one' });
    });
    expect(textOf(await runtime.runCall(touching('/a', 'same')))).toBe('touched /a');
    expect(textOf(await runtime.runCall(touching('/b', 'same')))).toBe('rejected by user: not this one');
    expect(late).toEqual([true, false]);
  });

  test('end with their calls when the runtime closes', async () => {
    const signals: AbortSignal[] = [];
    const runtime = askingRuntime({
      approver: (request, signal) => (signals.push(signal), answeredElsewhere(request, signal)),
    });
    const asked = questions(runtime, 3);
    const calls = ['/a', '/b', '/c'].map((path) => runtime.runCall(touching(path, path)));
    await asked;
    await runtime.close();
    expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(
      calls.map(() => ({ kind: 'aborted', by: 'signal', afterRun: false })),
    );
    expect(signals.map(({ reason }) => String(reason))).toEqual(Array(3).fill('Error: the call was cancelled'));
    expect(runtime.approvals.list()).toEqual([]);
    expect(runtime.approvals.answer('/a', { kind: 'once' })).toBe(false);
    expect(runtime.record.of('approval.decided')).toEqual([]);
  });
});

describe('an answer from elsewhere', () => {
  /** A prompt that stays until it is told to close; what it says after that is too late. */
  function promptOn(closed: (why: string) => void, afterwards: Decision): Approver {
    return (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          closed(String(signal.reason));
          resolve(afterwards);
        });
      });
  }

  test('closes the prompt of the approver, which is no longer heard', async () => {
    const closed: string[] = [];
    const runtime = askingRuntime({ approver: promptOn((why) => closed.push(why), { kind: 'deny' }) });
    const asked = questions(runtime, 1);
    const call = runtime.runCall(touching('/a', 'c1'));
    await asked;
    expect(runtime.approvals.answer('c1', { kind: 'once' })).toBe(true);
    expect(runtime.approvals.answer('c1', { kind: 'deny' })).toBe(false);
    expect(textOf(await call)).toBe('touched /a');
    expect(closed).toEqual(['Error: it was answered elsewhere']);
    expect(runtime.record.of('approval.decided')).toMatchObject([{ callId: 'c1', decision: 'once', by: 'elsewhere' }]);
  });

  test('may come from a listener before anybody else is asked', async () => {
    let prompts = 0;
    const runtime = askingRuntime({ approver: async () => ((prompts += 1), { kind: 'deny' }) });
    runtime.on((event) => {
      if (event.type === 'approval.requested') runtime.approvals.answer(event.id, { kind: 'once' });
    });
    expect(textOf(await runtime.runCall(touching('/a', 'c1')))).toBe('touched /a');
    expect(prompts).toBe(0);
  });

  test('that the approver gives first leaves no question behind, and the other prompts of the approver close', async () => {
    const closed: string[] = [];
    const slow = promptOn((why) => closed.push(why), { kind: 'deny' });
    const runtime = askingRuntime({
      approver: (request, signal) => Promise.race([slow(request, signal), Promise.resolve({ kind: 'once' } as const)]),
    });
    expect(textOf(await runtime.runCall(touching('/a', 'c1')))).toBe('touched /a');
    expect(closed).toEqual(['Error: it was answered']);
    expect(runtime.approvals.answer('c1', { kind: 'deny' })).toBe(false);
  });

  test.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['a word', 'once'],
    ['an unknown kind', { kind: 'sure' }],
    ['a note that is no text', { kind: 'deny', note: 5 }],
  ])('is no answer when it is %s, and the question stays open', async (_, decision) => {
    const runtime = askingRuntime({ approver: answeredElsewhere });
    const asked = questions(runtime, 1);
    const call = runtime.runCall(touching('/a', 'c1'));
    await asked;
    expect(() => runtime.approvals.answer('c1', decision as never)).toThrow(TypeError);
    expect(runtime.approvals.list()).toHaveLength(1);
    runtime.approvals.answer('c1', { kind: 'once' });
    expect(textOf(await call)).toBe('touched /a');
  });

  test('to a question nobody asked is none', () => {
    expect(askingRuntime({ approver: answeredElsewhere }).approvals.answer('c1', { kind: 'once' })).toBe(false);
  });
});

describe('the deadline', () => {
  test('is told to whoever watches', async () => {
    const runtime = askingRuntime({ approver: answeredElsewhere, approvalDeadline: { ms: 60_000, decision: 'abort' } });
    const asked = questions(runtime, 1);
    const call = runtime.runCall(touching('/a', 'c1'));
    await asked;
    const [pending] = runtime.approvals.list() as [PendingApproval];
    expect(Date.parse(pending.deadline ?? '') - Date.parse(pending.askedAt)).toBe(60_000);
    expect(runtime.record.of('approval.requested')).toMatchObject([{ id: 'c1', deadline: pending.deadline }]);
    runtime.approvals.answer('c1', { kind: 'once' });
    await call;
  });

  test('is a no, and says so', async () => {
    const closed = latch<string>();
    const runtime = askingRuntime({
      approver: (_, signal) =>
        new Promise(() => signal.addEventListener('abort', () => closed.open(String(signal.reason)))),
      approvalDeadline: { ms: 5, decision: 'deny' },
    });
    const result = await runtime.runCall(touching('/a', 'c1'));
    const reason = 'sure. This needs an approval, and nobody answered within 5 ms.';
    expect(result.outcome).toEqual({ kind: 'rejected', by: 'policy', reason });
    expect(await closed.opened).toBe('Error: nobody answered within 5 ms');
    expect(runtime.approvals.list()).toEqual([]);
    expect(runtime.record.of('approval.decided')).toMatchObject([
      { decision: 'deny', by: 'deadline', note: 'nobody answered within 5 ms' },
    ]);
  });

  test('may end the turn', async () => {
    const runtime = askingRuntime({ approver: answeredElsewhere, approvalDeadline: { ms: 5, decision: 'abort' } });
    const { outcome } = await runtime.runCall(touching('/a', 'c1'));
    expect(outcome).toEqual({ kind: 'aborted', by: 'deadline', afterRun: false });
    expect(runtime.record.of('approval.decided')).toMatchObject([{ decision: 'abort', by: 'deadline' }]);
  });

  test('does not hold up a question whose approver fails', async () => {
    const runtime = askingRuntime({ approver: () => Promise.reject(new Error('no screen')) });
    expect(textOf(await runtime.runCall(touching('/a', 'c1')))).toMatch(/the approver failed: no screen\.$/);
  });

  test.each([2 ** 31, 2 ** 40, Number.MAX_VALUE, Infinity])('may be %d ms away', async (ms) => {
    const runtime = askingRuntime({
      // A timer beyond the range of the system becomes one of 1 ms, and timers of the same length keep their order.
      approver: () => new Promise((resolve) => setTimeout(resolve, 1, { kind: 'once' })),
      approvalDeadline: { ms, decision: 'deny' },
    });
    expect(textOf(await runtime.runCall(touching('/a', 'c1')))).toBe('touched /a');
  });

  test.each<readonly [string, unknown]>([
    ['no time', { ms: 0, decision: 'deny' }],
    ['time that runs backwards', { ms: -1, decision: 'deny' }],
    ['no number', { ms: Number.NaN, decision: 'deny' }],
    ['a word', { ms: '5', decision: 'deny' }],
    ['a yes', { ms: 5, decision: 'once' }],
    ['no decision', { ms: 5 }],
  ])('is not %s', (_, approvalDeadline) => {
    expect(() => testRuntime({ approvalDeadline: approvalDeadline as never })).toThrow(RangeError);
  });

  test.each([
    [3_600_000, '60 minutes'],
    [7_200_000, '2 hours'],
    [172_800_000, '2 days'],
    [90_000, '90 seconds'],
    [1_500, '1500 ms'],
    [1_000, '1000 ms'],
  ])('of %d ms is %s', (ms, words) => {
    expect(inWords(ms)).toBe(words);
  });
});

test('without anybody to ask, many questions are answered at once, each with the reason and its events', async () => {
  const runtime = askingRuntime({ approvalDeadline: { ms: Infinity, decision: 'deny' } });
  const results = await Promise.all(['/a', '/b', '/c'].map((path) => runtime.runCall(touching(path, path))));
  const reason = 'sure. This needs an approval, and nobody is there to give it.';
  expect(results.map(({ outcome }) => outcome)).toEqual(
    results.map(() => ({ kind: 'rejected', by: 'policy', reason })),
  );
  expect(runtime.record.of('approval.requested').map(({ id }) => id)).toEqual(['/a', '/b', '/c']);
  expect(runtime.record.of('approval.decided').map(({ by, note }) => [by, note])).toEqual(
    results.map(() => ['nobody', 'nobody is there to give it']),
  );
});

describe('always', () => {
  const proposal: readonly ProposedRule[] = [{ kind: 'write', path: absolutePath('/a') }];
  const proposes: Judge = () => ({
    kind: 'ask',
    reason: 'sure?',
    rule: { name: 'test' },
    confined: false,
    grants: [],
    proposal,
  });
  const always: Approver = async () => ({ kind: 'always' });

  async function askedTwice(options: RuntimeOptions) {
    const runtime = askingRuntime({ approver: always, judge: proposes, ...options });
    const texts = [await runtime.runCall(touching('/a', 'c1')), await runtime.runCall(touching('/a', 'c2'))].map(
      textOf,
    );
    const decisions = runtime.record.of('approval.decided').map(({ decision, by }) => [decision, by]);
    const misfits = runtime.record.events.filter((event) => !safeParse(runtimeEventSchema, event).success);
    return { runtime, texts, decisions, misfits };
  }

  test('keeps the proposed rules once, and tells where they stand', async () => {
    const kept: unknown[] = [];
    const { runtime, texts, decisions, misfits } = await askedTwice({
      keepRules: async (rules) => (kept.push(rules), [{ name: 'write /a', file: '/home/rules.toml', line: 7 }]),
    });
    expect(texts).toEqual(['touched /a', 'touched /a']);
    expect(kept).toEqual([proposal]);
    expect(runtime.record.of('approval.requested')).toMatchObject([{ callId: 'c1', proposal }]);
    expect(decisions).toEqual([
      ['always', 'approver'],
      ['session', 'memory'],
    ]);
    expect(runtime.record.of('rule.saved')).toMatchObject([
      { callId: 'c1', rules: [{ name: 'write /a', file: '/home/rules.toml', line: 7 }] },
    ]);
    expect(misfits).toEqual([]);
  });

  test.each<readonly [string, RuntimeOptions['keepRules']]>([
    ['later', () => Promise.reject(new Error('disk full'))],
    [
      'at once',
      () => {
        throw new Error('disk full');
      },
    ],
  ])('lasts for the session when keeping fails %s, and the call still runs', async (_, keepRules) => {
    const { runtime, texts, decisions, misfits } = await askedTwice({ ...(keepRules && { keepRules }) });
    expect(texts).toEqual(['touched /a', 'touched /a']);
    expect(decisions).toEqual([
      ['always', 'approver'],
      ['session', 'memory'],
    ]);
    expect(runtime.record.of('rule.refused')).toMatchObject([{ callId: 'c1', reason: 'disk full' }]);
    expect(runtime.record.of('rule.saved')).toEqual([]);
    expect(misfits).toEqual([]);
  });

  test('is not on offer where nothing can be kept, and lasts for the session', async () => {
    const { runtime, texts, decisions } = await askedTwice({});
    expect(texts).toEqual(['touched /a', 'touched /a']);
    expect(runtime.record.of('approval.requested').map((event) => event.proposal)).toEqual([undefined]);
    expect(decisions).toEqual([
      ['session', 'approver'],
      ['session', 'memory'],
    ]);
  });

  test('is nothing but the session where no rule is proposed', async () => {
    const kept: unknown[] = [];
    const { decisions } = await askedTwice({ judge: asks, keepRules: async (rules) => (kept.push(rules), []) });
    expect(kept).toEqual([]);
    expect(decisions).toEqual([
      ['session', 'approver'],
      ['session', 'memory'],
    ]);
  });

  test('does not hold back a call that is cancelled while rules are kept, and what was kept is still told', async () => {
    const keeping = latch();
    const disk = latch();
    const controller = new AbortController();
    const runtime = askingRuntime({
      approver: always,
      judge: proposes,
      keepRules: async () => {
        keeping.open();
        await disk.opened;
        return [{ name: 'write /a' }];
      },
    });
    const saved = latch<unknown>();
    runtime.on((event) => void (event.type === 'rule.saved' && saved.open(event.rules)));
    const call = runtime.runCall(touching('/a', 'c1'), { signal: controller.signal });
    await keeping.opened;
    controller.abort();
    expect((await call).outcome).toEqual({ kind: 'aborted', by: 'signal', afterRun: false });
    disk.open();
    expect(await saved.opened).toMatchObject([{ name: 'write /a' }]);
  });
});
