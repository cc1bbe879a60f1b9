import { describe, expect, test } from 'vitest';

import { answerText, defineTool, textOutput } from '../../src/index.js';
import type { Hook, Journal, Payload, RuntimeOptions, Tool } from '../../src/index.js';
import { object, string } from 'zod/mini';
import { actingTool, echo, functionCall, latch, shout, testRuntime, textOf } from '../support/runtime.js';
import type { TestRuntime } from '../support/runtime.js';

const payload = functionCall('{}');

describe('order', () => {
  test('results belong to their calls however the tools overtake each other', async () => {
    const gates = [latch(), latch(), latch()];
    const tool = defineTool({
      name: 'wait',
      description: 'Waits.',
      input: object({ turn: string() }),
      concurrency: 'shared',
      intent: () => ({ effects: [] }),
      run: async ({ turn }) => (await gates[Number(turn)]?.opened, textOutput(`turn ${turn}`)),
    });
    const runtime = testRuntime({ tools: [tool] });
    const calls = ['0', '1', '2'].map((turn) =>
      runtime.runCall({ id: turn, name: 'wait', payload: functionCall({ turn }) }),
    );
    for (const index of [2, 0, 1]) {
      gates[index]?.open();
      await calls[index];
    }
    const results = await Promise.all(calls);
    expect(results.map((result) => [result.answer.callId, textOf(result)])).toEqual([
      ['0', 'turn 0'],
      ['1', 'turn 1'],
      ['2', 'turn 2'],
    ]);
    expect(runtime.record.of('call.finished').map((event) => event.callId)).toEqual(['2', '0', '1']);
  });

  test('an exclusive call between two shared ones overlaps with neither', async () => {
    const log: string[] = [];
    const logging = (name: string, concurrency: 'shared' | 'exclusive') =>
      actingTool(
        name,
        async () => {
          log.push(`${name} in`);
          await new Promise((resolve) => setImmediate(resolve));
          log.push(`${name} out`);
          return textOutput(name);
        },
        { concurrency },
      );
    const runtime = testRuntime({
      tools: [logging('read', 'shared'), logging('write', 'exclusive'), logging('look', 'shared')],
    });
    await Promise.all(['read', 'write', 'look'].map((name) => runtime.runCall({ name, payload })));
    expect(log).toEqual(['read in', 'read out', 'write in', 'write out', 'look in', 'look out']);
  });

  test.each<readonly [string, Tool['concurrency'], readonly string[]]>([
    [
      'says so for this payload',
      ({ kind }) => (kind === 'function' ? 'shared' : 'exclusive'),
      ['in', 'in', 'out', 'out'],
    ],
    ['says otherwise', () => 'exclusive', ['in', 'out', 'in', 'out']],
    ['says nothing that is known', () => 'both' as never, ['in', 'out', 'in', 'out']],
    [
      'fails to say',
      () => {
        throw new Error('what is this?');
      },
      ['in', 'out', 'in', 'out'],
    ],
  ])('calls overlap only where the tool that is asked for each %s', async (_, concurrency, expected) => {
    const log: string[] = [];
    const act = actingTool(
      'act',
      async () => {
        log.push('in');
        await new Promise((resolve) => setImmediate(resolve));
        log.push('out');
        return textOutput('');
      },
      { concurrency },
    );
    const runtime = testRuntime({ tools: [act] });
    await Promise.all([1, 2].map(() => runtime.runCall({ name: 'act', payload })));
    expect(log).toEqual(expected);
  });

  test('a tool is asked once how a call may overlap, with what the model sent', async () => {
    const asked: Payload[] = [];
    const act = actingTool('act', async () => textOutput(''), { concurrency: (sent) => (asked.push(sent), 'shared') });
    const hook: Hook = { name: 'h', beforeCall: () => ({ kind: 'rewrite', payload: functionCall({ other: true }) }) };
    await testRuntime({ tools: [act], hooks: [hook] }).runCall({ name: 'act', payload });
    expect(asked).toEqual([payload]);
  });

  test('the journal hears of the intent before the tool runs and of the result after it', async () => {
    const log: string[] = [];
    const journal: Journal = {
      intended: async ({ call, attempt }) => void log.push(`intended ${call.id} ${attempt}`),
      settled: async (call, { outcome }) => void log.push(`settled ${call.id} ${outcome.kind}`),
    };
    const runtime = testRuntime({ tools: [actingTool('act', async () => (log.push('ran'), textOutput('')))], journal });
    await runtime.runCall({ id: 'a', name: 'act', payload });
    await runtime.runCall({ id: 'b', name: 'missing', payload });
    expect(log).toEqual(['intended a 1', 'ran', 'settled a completed', 'settled b failed']);
  });

  test('events come in the order of the steps', async () => {
    const hooks: Hook[] = [
      { name: 'h', beforeCall: () => ({ kind: 'continue' }), afterCall: () => ({ kind: 'keep' }) },
    ];
    const runtime = testRuntime({ tools: [echo], hooks });
    await runtime.runCall({ id: 'c1', name: 'echo', payload: functionCall({ text: 'hi' }) });
    expect(runtime.record.events.map((event) => [event.seq, event.type])).toEqual([
      [1, 'call.started'],
      [2, 'hook.finished'],
      [3, 'verdict.reached'],
      [4, 'attempt.started'],
      [5, 'hook.finished'],
      [6, 'call.finished'],
    ]);
  });
});

describe('a call that is part of another call', () => {
  /** A tool that calls another one and gives back what it said. */
  const nesting = (concurrency: 'shared' | 'exclusive', inner: string, options: RuntimeOptions = {}): TestRuntime =>
    testRuntime({
      tools: [
        actingTool('outer', async (_, scope) => textOutput(textOf(await scope.runCall(inner, payload))), {
          concurrency,
        }),
        actingTool('reading', async () => textOutput('read'), { concurrency: 'shared' }),
        actingTool('writing', async () => textOutput('written'), { concurrency: 'exclusive' }),
      ],
      ...options,
    });

  test.each([
    ['exclusive', 'writing', 'written'],
    ['exclusive', 'reading', 'read'],
    ['shared', 'reading', 'read'],
  ] as const)('of one that is %s, to a tool for %s, does not wait for it', async (concurrency, inner, text) => {
    expect(textOf(await nesting(concurrency, inner).runCall({ name: 'outer', payload }))).toBe(text);
  });

  test('does not wait behind a call that waits for the outer one', async () => {
    const runtime = nesting('shared', 'reading');
    const results = await Promise.all(['outer', 'writing'].map((name) => runtime.runCall({ name, payload })));
    expect(results.map(textOf)).toEqual(['read', 'written']);
  });

  test('cannot write while the outer one shares its turn, and says so', async () => {
    expect(textOf(await nesting('shared', 'writing').runCall({ name: 'outer', payload }))).toMatch(
      /^this tool runs alone/,
    );
  });

  test('cannot run there either when its tool says nothing that is known', async () => {
    const unclear = actingTool('unclear', async () => textOutput('ran'), { concurrency: () => 'both' as never });
    const outer = actingTool('outer', async (_, scope) => textOutput(textOf(await scope.runCall('unclear', payload))), {
      concurrency: 'shared',
    });
    const runtime = testRuntime({ tools: [outer, unclear] });
    expect(textOf(await runtime.runCall({ name: 'outer', payload }))).toMatch(/^this tool runs alone/);
  });

  test('runs alone among the parts if it must, and the whole ends after its last part', async () => {
    const log: string[] = [];
    const writing = actingTool('writing', async () => {
      log.push('in');
      await new Promise((resolve) => setImmediate(resolve));
      log.push('out');
      return textOutput('');
    });
    const outer = actingTool('outer', async (_, scope) => {
      void scope.runCall('writing', payload);
      void scope.runCall('writing', payload);
      return textOutput('');
    });
    const next = actingTool('next', async () => (log.push('next'), textOutput('')));
    const runtime = testRuntime({ tools: [writing, outer, next] });
    await Promise.all(['outer', 'next'].map((name) => runtime.runCall({ name, payload })));
    expect(log).toEqual(['in', 'out', 'in', 'out', 'next']);
  });

  test('passes judge, hooks and journal like any other, under a name of its own', async () => {
    const judged: unknown[] = [];
    const settled: string[] = [];
    const runtime = nesting('exclusive', 'writing', {
      judge: (intent) => (
        judged.push(intent.effects),
        judged.length > 1
          ? { kind: 'deny', reason: 'not that', rule: { name: 'r' } }
          : { kind: 'allow', confined: false, grants: [], rule: { name: 'r' } }
      ),
      journal: { intended: async () => {}, settled: async (call) => void settled.push(call.id) },
    });
    expect(textOf(await runtime.runCall({ id: 'c1', name: 'outer', payload }))).toBe('not that');
    expect(settled).toEqual(['c1.1', 'c1']);
  });
});

describe('hooks', () => {
  test('a rewrite is parsed and judged like the model’s own words', async () => {
    const hook: Hook = {
      name: 'h',
      beforeCall: () => ({ kind: 'rewrite', payload: functionCall({ text: 'rewritten' }) }),
    };
    const runtime = testRuntime({ tools: [echo], hooks: [hook] });
    expect(textOf(await runtime.runCall({ name: 'echo', payload: functionCall({ text: 'original' }) }))).toBe(
      'rewritten',
    );
    const bad: Hook = { name: 'h', beforeCall: () => ({ kind: 'rewrite', payload: functionCall('{') }) };
    const result = await testRuntime({ tools: [echo], hooks: [bad] }).runCall({
      name: 'echo',
      payload: functionCall({ text: 'x' }),
    });
    expect(textOf(result)).toMatch(/^failed to parse function arguments: invalid JSON/);
  });

  test('a rewrite is what the journal, the approver and later hooks see; the answer goes to the model’s own call', async () => {
    const rewritten: Payload = { kind: 'custom', input: 'rewritten' };
    const seen: Payload[] = [];
    const runtime = testRuntime({
      tools: [echo],
      judge: () => ({ kind: 'ask', reason: 'sure?', rule: { name: 'test' }, confined: false, grants: [] }),
      approver: async ({ call }) => (seen.push(call.payload), { kind: 'once' }),
      journal: { intended: async ({ call }) => void seen.push(call.payload), settled: async () => {} },
      hooks: [
        {
          name: 'h',
          beforeCall: () => ({ kind: 'rewrite', payload: rewritten }),
          afterCall: (call) => (seen.push(call.payload), { kind: 'keep' }),
        },
      ],
    });
    const { answer } = await runtime.runCall({ name: 'echo', payload: functionCall({ text: 'original' }) });
    expect(seen).toEqual([rewritten, rewritten, rewritten]);
    expect(answer.payloadKind).toBe('function');
    expect(runtime.record.of('hook.finished')[0]?.payload).toEqual(rewritten);
  });

  test('each sees what the one before it made of the call', async () => {
    const append = (word: string): Hook => ({
      name: word,
      beforeCall: (call) => ({
        kind: 'rewrite',
        payload: { kind: 'custom', input: `${call.payload.kind === 'custom' ? call.payload.input : ''} ${word}` },
      }),
      afterCall: (_, output) => ({
        kind: 'replace',
        output: textOutput(`${answerText(output)}<${word}>`),
      }),
    });
    const runtime = testRuntime({ tools: [shout], hooks: [append('one'), append('two')] });
    expect(textOf(await runtime.runCall({ name: 'shout', payload: { kind: 'custom', input: 'zero' } }))).toBe(
      'ZERO ONE TWO<one><two>',
    );
  });

  test('a block before the call is told in the words models know', async () => {
    const hook: Hook = { name: 'h', beforeCall: () => ({ kind: 'block', reason: 'not on Sundays' }) };
    const result = await testRuntime({ tools: [echo], hooks: [hook] }).runCall({
      name: 'echo',
      payload: functionCall({ text: 'x' }),
    });
    expect(result.outcome).toEqual({
      kind: 'rejected',
      by: 'hook',
      reason: 'Tool call blocked by PreToolUse hook: not on Sundays. Tool: echo',
    });
  });

  test('a blocked command is named', async () => {
    const tool = actingTool('act', async () => textOutput(''), {
      present: () => ({ title: 'Act', command: 'act now' }),
    });
    const hook: Hook = { name: 'h', beforeCall: () => ({ kind: 'block', reason: 'not on Sundays' }) };
    const result = await testRuntime({ tools: [tool], hooks: [hook] }).runCall({ name: 'act', payload });
    expect(textOf(result)).toBe('Command blocked by PreToolUse hook: not on Sundays. Command: act now');
  });

  test('a block after the call replaces the result with the reason', async () => {
    const hook: Hook = { name: 'h', afterCall: () => ({ kind: 'block', reason: 'the output held a secret' }) };
    const result = await testRuntime({ tools: [echo], hooks: [hook] }).runCall({
      name: 'echo',
      payload: functionCall({ text: 'x' }),
    });
    expect(textOf(result)).toBe('the output held a secret');
  });
});

describe('a call of the wrong kind is understood and answered in kind', () => {
  test('a function tool called as free text', async () => {
    const runtime = testRuntime({ tools: [echo] });
    const { answer } = await runtime.runCall({ id: 'c1', name: 'echo', payload: { kind: 'custom', input: 'hi' } });
    expect(runtime.answerItem('responses', answer)).toEqual({
      type: 'custom_tool_call_output',
      call_id: 'c1',
      output: 'hi',
    });
  });

  test('a freeform tool called as a function', async () => {
    const runtime = testRuntime({ tools: [shout] });
    const { answer } = await runtime.runCall({ id: 'c1', name: 'shout', payload: functionCall({ input: 'hi' }) });
    expect(runtime.answerItem('responses', answer)).toEqual({
      type: 'function_call_output',
      call_id: 'c1',
      output: 'HI',
    });
  });
});
