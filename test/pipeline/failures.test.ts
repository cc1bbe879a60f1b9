import { describe, expect, test } from 'vitest';

import { ConfigError, Fatal, Rejected, ToolFailure, textOutput } from '../../src/index.js';
import type { Hook, Judge, Outcome, Payload, RuntimeOptions } from '../../src/index.js';
import { actingTool, echo, functionCall, shout, testRuntime, textOf } from '../support/runtime.js';
import type { TestRuntime } from '../support/runtime.js';

/** Every kind of payload, so that every failure is seen on each of them. */
const PAYLOADS: readonly Payload[] = [
  functionCall({ text: 'hi' }),
  { kind: 'custom', input: 'hi' },
  { kind: 'local_shell', argv: ['echo', 'hi'] },
];

const itemType = (payload: Payload) => (payload.kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output');

const never = () => new Promise<never>(() => {});
const denies: Judge = () => ({ kind: 'deny', reason: 'not in this house', rule: { name: 'house' } });
const QUESTION = { kind: 'ask', reason: 'sure?', rule: { name: 'house' }, confined: false, grants: [] } as const;
const asks: Judge = () => QUESTION;
const NO_VERDICT = 'it gave no usable verdict';
const unreadable = (): never => {
  throw new ToolFailure('failed to parse function arguments: what is this?');
};

describe.each(PAYLOADS.map((payload) => [payload.kind, payload] as const))('a %s call', (_, payload) => {
  async function outcomeOf(run: () => Promise<never>) {
    const runtime = testRuntime({ tools: [actingTool('act', run)] });
    const result = await runtime.runCall({ id: 'c1', name: 'act', payload });
    return { outcome: result.outcome, text: textOf(result), item: runtime.answerItem('responses', result.answer) };
  }

  test('to a tool nobody knows is answered', async () => {
    const runtime = testRuntime({ tools: [echo, shout] });
    const result = await runtime.runCall({ id: 'c1', name: 'echoo', payload });
    const text = `unsupported ${payload.kind === 'custom' ? 'custom tool call' : 'call'}: echoo. Did you mean echo?`;
    expect(result.outcome).toEqual({ kind: 'failed', message: text });
    expect(runtime.answerItem('responses', result.answer)).toEqual({
      type: itemType(payload),
      call_id: 'c1',
      output: text,
    });
    expect(runtime.answerItem('chat', result.answer)).toEqual({ role: 'tool', tool_call_id: 'c1', content: text });
  });

  const thrown: readonly (readonly [what: string, error: unknown, outcome: Outcome, text: string])[] = [
    [
      'a failure the model can mend',
      new ToolFailure('no such thing'),
      { kind: 'failed', message: 'no such thing' },
      'no such thing',
    ],
    [
      'a refusal',
      new Rejected('policy', 'not here'),
      { kind: 'rejected', by: 'policy', reason: 'not here' },
      'not here',
    ],
    [
      'a fatal error',
      new Fatal('the disk is gone'),
      { kind: 'fatal', message: 'the disk is gone' },
      'Fatal error: the disk is gone',
    ],
    [
      'a crash',
      new TypeError('x is not a function'),
      { kind: 'crashed', message: 'x is not a function' },
      'act failed unexpectedly: x is not a function. This is a fault in the tool, not in your call.',
    ],
    [
      'something that is no error',
      Object.create(null),
      { kind: 'crashed', message: 'a value that cannot be shown was thrown' },
      'act failed unexpectedly: a value that cannot be shown was thrown. This is a fault in the tool, not in your call.',
    ],
  ];

  test.each(thrown)('whose tool throws %s is answered', async (__, error, outcome, text) => {
    // oxlint-disable-next-line typescript/only-throw-error -- that is what is tested
    const seen = await outcomeOf(() => Promise.reject(error));
    expect(seen).toEqual({ outcome, text, item: { type: itemType(payload), call_id: 'c1', output: text } });
  });

  const stopped: readonly (readonly [what: string, options: RuntimeOptions, kind: Outcome['kind'], text: RegExp])[] = [
    [
      'that the tool cannot read',
      { tools: [{ ...actingTool('act', never), parse: unreadable }] },
      'failed',
      /^failed to parse function arguments: /,
    ],
    ['that the policy denies', { judge: denies }, 'rejected', /^not in this house$/],
    ['that nobody approves', { judge: asks }, 'rejected', /^sure\. This needs an approval/],
    [
      'that a hook blocks',
      { hooks: [{ name: 'h', beforeCall: () => ({ kind: 'block', reason: 'no' }) }] },
      'rejected',
      /^Tool call blocked by PreToolUse hook: no\. Tool: act$/,
    ],
    [
      'whose result a hook withholds',
      { hooks: [{ name: 'h', afterCall: () => ({ kind: 'block', reason: 'it held a secret' }) }] },
      'rejected',
      /^it held a secret$/,
    ],
  ];

  test.each(stopped)('%s is answered', async (__, options, kind, text) => {
    const runtime = testRuntime({ tools: [actingTool('act', async () => textOutput('done'))], ...options });
    const result = await runtime.runCall({ id: 'c1', name: 'act', payload });
    expect(result.outcome.kind).toBe(kind);
    expect(textOf(result)).toMatch(text);
    expect(runtime.answerItem('responses', result.answer)).toEqual({
      type: itemType(payload),
      call_id: 'c1',
      output: textOf(result),
    });
  });

  test('that is cancelled is answered', async () => {
    const runtime = testRuntime({ tools: [actingTool('act', never)] });
    const { answer } = await runtime.runCall({ id: 'c1', name: 'act', payload }, { signal: AbortSignal.abort() });
    const output = 'aborted by user after 0.1s';
    expect(runtime.answerItem('responses', answer)).toEqual({ type: itemType(payload), call_id: 'c1', output });
  });

  test('whose failure is endless is answered within the budget', async () => {
    const runtime = testRuntime({
      tools: [actingTool('act', () => Promise.reject(new ToolFailure('x'.repeat(100_000))))],
      outputBudget: { unit: 'bytes', amount: 100 },
    });
    expect(textOf(await runtime.runCall({ name: 'act', payload })).length).toBeLessThan(400);
    expect(textOf(await runtime.runCall({ name: 'y'.repeat(100_000), payload })).length).toBeLessThan(400);
  });

  test('no stack ever reaches the model', async () => {
    const { text } = await outcomeOf(() => Promise.reject(new Error('broken')));
    expect(text).not.toMatch(/\bat .*:\d+/);
  });
});

describe('steps that fail do so closed', () => {
  let ran = false;
  const tool = actingTool('act', async () => {
    ran = true;
    return { content: [] };
  });

  async function outcomeWith(options: Parameters<typeof testRuntime>[0]) {
    ran = false;
    const runtime = testRuntime({ tools: [tool], ...options });
    const { outcome } = await runtime.runCall({ name: 'act', payload: functionCall('{}') });
    return { outcome, ran };
  }

  test('a judge that crashes', async () => {
    const judge = () => {
      throw new Error('no rules');
    };
    expect(await outcomeWith({ judge })).toEqual({
      outcome: {
        kind: 'rejected',
        by: 'policy',
        reason: 'the policy failed: no rules. To be safe, the call was not run.',
      },
      ran: false,
    });
  });

  test.each<readonly [string, () => unknown, why: string]>([
    ['a promise of half a yes', async () => ({ kind: 'allow', confined: false, rule: { name: 'r' } }), NO_VERDICT],
    ['a promise that rejects', () => Promise.reject(new Error('late')), 'late'],
    ['an unknown word', () => ({ kind: 'forbid', rule: { name: 'r' } }), NO_VERDICT],
    ['a yes that does not say how', () => ({ kind: 'allow', rule: { name: 'r' } }), NO_VERDICT],
    ['a question without a reason', () => ({ ...QUESTION, reason: undefined }), NO_VERDICT],
    ['a question about no words', () => ({ ...QUESTION, keys: [5] }), NO_VERDICT],
    ['nothing', () => undefined, NO_VERDICT],
  ])('a judge that gives %s', async (_, judge, why) => {
    expect(await outcomeWith({ judge: judge as never })).toEqual({
      outcome: {
        kind: 'rejected',
        by: 'policy',
        reason: `the policy failed: ${why}. To be safe, the call was not run.`,
      },
      ran: false,
    });
  });

  test('a judge that finds the rules broken ends the turn', async () => {
    const judge = () => Promise.reject(new ConfigError('rules.toml:3: what is this?'));
    expect(await outcomeWith({ judge })).toEqual({
      outcome: { kind: 'fatal', message: 'rules.toml:3: what is this?' },
      ran: false,
    });
  });

  test('an intent that crashes', async () => {
    const tools = [
      {
        ...tool,
        intent: () => {
          throw new ToolFailure('no path');
        },
      },
    ];
    expect(await outcomeWith({ tools })).toEqual({ outcome: { kind: 'failed', message: 'no path' }, ran: false });
  });

  test('a journal that cannot record the intent', async () => {
    const journal = { intended: () => Promise.reject(new Error('disk full')), settled: async () => {} };
    expect(await outcomeWith({ journal })).toEqual({
      outcome: { kind: 'fatal', message: 'the call was not run because it could not be recorded: disk full' },
      ran: false,
    });
  });

  test('a journal that cannot record the result ends the turn', async () => {
    const journal = { intended: async () => {}, settled: () => Promise.reject(new Error('disk full')) };
    const runtime = testRuntime({ tools: [tool], journal });
    const { outcome, answer } = await runtime.runCall({ name: 'act', payload: functionCall('{}') });
    const message = 'the result of the call could not be recorded: disk full';
    expect(outcome).toEqual({ kind: 'fatal', message });
    expect(answer).toMatchObject({ success: false, content: [{ text: `Fatal error: ${message}` }] });
  });

  test('a sandbox that cannot be set up', async () => {
    const confine = () => {
      throw new Error('no namespaces');
    };
    expect(await outcomeWith({ confine, sandboxMode: 'read-only' })).toEqual({
      outcome: { kind: 'rejected', by: 'policy', reason: 'sandbox could not start: no namespaces' },
      ran: false,
    });
  });

  test.each<readonly [string, Hook['beforeCall'], string]>([
    ['crashes', () => Promise.reject(new Error('hook broke')), 'hook broke'],
    ['answers nonsense', (() => ({ kind: 'fine' })) as never, 'it gave no usable answer'],
    ['answers nothing', (() => undefined) as never, 'it gave no usable answer'],
  ])('a hook before the call that %s', async (_, beforeCall, why) => {
    const hook: Hook = { name: 'guard', ...(beforeCall && { beforeCall }) };
    expect(await outcomeWith({ hooks: [hook] })).toEqual({
      outcome: {
        kind: 'rejected',
        by: 'hook',
        reason: `The hook "guard" failed: ${why}. To be safe, the call was not run.`,
      },
      ran: false,
    });
  });

  test('a hook after the call that crashes withholds the result', async () => {
    const hook: Hook = { name: 'redact', afterCall: () => Promise.reject(new Error('hook broke')) };
    expect(await outcomeWith({ hooks: [hook] })).toEqual({
      outcome: {
        kind: 'rejected',
        by: 'hook',
        reason: 'The hook "redact" failed: hook broke. To be safe, the call ran, but its result is withheld.',
      },
      ran: true,
    });
  });
});

test('a judge may take its time', async () => {
  const judge: Judge = async () => ({ kind: 'allow', confined: false, grants: [], rule: { name: 'late' } });
  const runtime = testRuntime({ tools: [echo], judge });
  expect(textOf(await runtime.runCall({ name: 'echo', payload: functionCall({ text: 'hi' }) }))).toBe('hi');
});

describe('whatever the code of others does, the call is answered', () => {
  const hostileMessage = Object.defineProperty(new Error(), 'message', {
    get: () => {
      throw new Error('no message for you');
    },
  });
  const hostileProxy: unknown = new Proxy({}, { getPrototypeOf: () => unreadable() });

  test.each<readonly [string, unknown]>([
    ['an error whose message throws', hostileMessage],
    ['a value that cannot be looked at', hostileProxy],
    ['an error whose message is no text', Object.assign(new Error(), { message: 5 })],
  ])('%s', async (_, error) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tested
    const runtime = testRuntime({ tools: [actingTool('act', () => Promise.reject(error))] });
    const { outcome } = await runtime.runCall({ name: 'act', payload: functionCall('{}') });
    expect(outcome).toMatchObject({ kind: 'crashed', message: expect.any(String) });
  });

  test.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['an output without content', {}],
    ['a part of an unknown kind', { content: [{ kind: 'smell' }] }],
    ['text that is no text', { content: [{ kind: 'text', text: 5 }] }],
    ['an image without data', { content: [{ kind: 'image', mediaType: 'image/png' }] }],
  ])('%s as an output, of a tool or a hook', async (_, output) => {
    const tool = actingTool('act', async () => output as never);
    expect(
      (await testRuntime({ tools: [tool] }).runCall({ name: 'act', payload: functionCall('{}') })).outcome,
    ).toEqual({
      kind: 'crashed',
      message: 'what it gave back is no output',
    });
    const hook: Hook = { name: 'h', afterCall: () => ({ kind: 'replace', output: output as never }) };
    const hooked = testRuntime({ tools: [echo], hooks: [hook] });
    const { outcome } = await hooked.runCall({ name: 'echo', payload: functionCall({ text: 'x' }) });
    expect(outcome).toMatchObject({ kind: 'rejected', by: 'hook' });
  });
});

test('a listener may return anything', async () => {
  const heard: string[] = [];
  const runtime = testRuntime({ tools: [echo], listeners: [({ type }) => heard.push(type)] });
  await runtime.runCall({ name: 'echo', payload: functionCall({ text: 'x' }) });
  expect(heard).toEqual(runtime.record.events.map((event) => event.type));
});

test('what a listener sets off is heard by all in order', async () => {
  const heard: number[] = [];
  let inner: Promise<unknown> | undefined;
  const runtime: TestRuntime = testRuntime({
    tools: [echo],
    listeners: [
      ({ type }) => {
        if (type === 'call.started')
          inner ??= runtime.runCall({ name: 'echo', payload: functionCall({ text: 'inner' }) });
      },
      ({ seq }) => heard.push(seq),
    ],
  });
  await runtime.runCall({ name: 'echo', payload: functionCall({ text: 'outer' }) });
  await inner;
  expect(heard).toEqual(heard.map((_, index) => index + 1));
});

test('a listener that throws harms nobody, and the others hear of it', async () => {
  const broken = (): never => {
    throw new Error('no screen');
  };
  const order: number[] = [];
  const brokenLater = (): Promise<void> => Promise.reject(new Error('no disk'));
  const runtime = testRuntime({ tools: [echo], listeners: [broken, brokenLater, ({ seq }) => void order.push(seq)] });
  const result = await runtime.runCall({ name: 'echo', payload: functionCall({ text: 'hi' }) });
  expect(textOf(result)).toBe('hi');
  expect(runtime.record.of('listener.failed').map((event) => event.reason)).toEqual(['no screen', 'no disk']);
  expect(order).toEqual(order.map((_, index) => index + 1));
});
