import { get } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { Wire } from '../../src/core/model.js';
import { startScriptedModel } from '../../src/testing/index.js';
import type { ScriptedCall, ScriptedTurn } from '../../src/testing/index.js';
import { scriptedModel } from '../support/model-server.js';
import { propertyRuns } from '../support/property-runs.js';
import { ask, eventsIn, open, send } from './model-client.js';
import type { Got } from './model-client.js';
import { saidInStream, saidWhole } from './said.js';

const FULL_TURN: ScriptedTurn = {
  reasoning: { summary: 'Look.', encrypted: 'ENC' },
  text: 'Hello',
  phase: 'commentary',
  calls: [{ name: 'read', arguments: { a: 1 } }],
  usage: { input: 7, output: 5, cached: 3, reasoning: 2 },
  endTurn: false,
};

test('a turn is told in the events of the Responses API', async () => {
  const model = await scriptedModel([{ ...FULL_TURN, chunkSize: 4 }]);
  const { status, headers, text } = await ask(model, 'responses', { model: 'm', stream: true });
  const events = eventsIn(text) as readonly { type: string; delta?: string; item?: unknown; response?: unknown }[];
  const message = {
    type: 'message',
    id: 'msg_1_1',
    role: 'assistant',
    phase: 'commentary',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
  };
  const call = { type: 'function_call', id: 'fc_1_2', call_id: 'call_1_0', name: 'read' };
  const done = [
    {
      type: 'reasoning',
      id: 'rs_1_0',
      summary: [{ type: 'summary_text', text: 'Look.' }],
      encrypted_content: 'ENC',
    },
    message,
    { ...call, status: 'completed', arguments: '{"a":1}' },
  ];
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/event-stream; charset=utf-8' });
  expect(events.map(({ type, delta }) => (delta === undefined ? type : `${type} ${delta}`))).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta Look',
    'response.reasoning_summary_text.delta .',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta Hell',
    'response.output_text.delta o',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta {"a"',
    'response.function_call_arguments.delta :1}',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toEqual(done);
  expect(events[9]).toEqual({
    type: 'response.output_item.added',
    output_index: 1,
    item: { ...message, status: 'in_progress', content: [] },
  });
  expect(events.at(-1)?.response).toEqual({
    id: 'resp_1',
    object: 'response',
    created_at: 0,
    model: 'm',
    status: 'completed',
    output: done,
    end_turn: false,
    usage: {
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 12,
    },
  });
  expect(text.split('\n', 1)).toEqual(['event: response.created']);
});

test('a turn is told in the chunks of Chat Completions', async () => {
  const model = await scriptedModel([{ ...FULL_TURN, chunkSize: 4 }]);
  const { text } = await ask(model, 'chat', { model: 'm', stream: true, stream_options: { include_usage: true } });
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: 'm' };
  const saying = (delta: object, finish_reason: string | null = null) => {
    return { ...chunk, choices: [{ index: 0, delta, finish_reason }] };
  };
  const calling = (call: object) => saying({ tool_calls: [{ index: 0, ...call }] });
  expect(eventsIn(text)).toEqual([
    saying({ role: 'assistant', content: '' }),
    saying({ reasoning_content: 'Look' }),
    saying({ reasoning_content: '.' }),
    saying({ content: 'Hell' }),
    saying({ content: 'o' }),
    calling({ id: 'call_1_0', type: 'function', function: { name: 'read', arguments: '' } }),
    calling({ function: { arguments: '{"a"' } }),
    calling({ function: { arguments: ':1}' } }),
    saying({}, 'tool_calls'),
    {
      ...chunk,
      choices: [],
      usage: {
        prompt_tokens: 7,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens: 5,
        completion_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 12,
      },
    },
    '[DONE]',
  ]);
});

test('a chat stream tells the usage only when it is asked to, and only when there is one', async () => {
  const model = await scriptedModel([{ text: 'a' }, { text: 'a', usage: 'none' }]);
  const unasked = await ask(model, 'chat');
  const none = await ask(model, 'chat', { stream: true, stream_options: { include_usage: true } });
  expect([unasked.text, none.text].map((text) => text.includes('usage'))).toEqual([false, false]);
});

const CALLS: ScriptedTurn = {
  calls: [
    { name: 'plain', arguments: '{"broken', callId: 'mine' },
    { custom: 'free', input: 'text\n"quoted"' },
    { localShell: ['ls', '-l'], cwd: '/tmp', timeoutMs: 5 },
    { localShell: ['pwd'] },
  ],
};

test('each kind of call is an item of its own over the Responses API', async () => {
  const model = await scriptedModel([{ ...CALLS, items: [{ type: 'odd', id: 'x', extra: [1] }] }]);
  const { text } = await ask(model, 'responses', {});
  const { output } = JSON.parse(text) as { output: unknown };
  const status = 'completed';
  expect(output).toEqual([
    { type: 'function_call', id: 'fc_1_0', call_id: 'mine', name: 'plain', status, arguments: '{"broken' },
    { type: 'custom_tool_call', id: 'ctc_1_1', call_id: 'call_1_1', name: 'free', status, input: 'text\n"quoted"' },
    {
      type: 'local_shell_call',
      id: 'lsh_1_2',
      call_id: 'call_1_2',
      status,
      action: { type: 'exec', command: ['ls', '-l'], env: {}, working_directory: '/tmp', timeout_ms: 5 },
    },
    {
      type: 'local_shell_call',
      id: 'lsh_1_3',
      call_id: 'call_1_3',
      status,
      action: { type: 'exec', command: ['pwd'], env: {} },
    },
    { type: 'odd', id: 'x', extra: [1] },
  ]);
});

test('each kind of call is a function over Chat Completions', async () => {
  const model = await scriptedModel([CALLS]);
  const { text } = await ask(model, 'chat', {});
  const { choices } = JSON.parse(text) as { choices: unknown };
  const called = (id: string, name: string, args: string) => {
    return { id, type: 'function', function: { name, arguments: args } };
  };
  const tool_calls = [
    called('mine', 'plain', '{"broken'),
    called('call_1_1', 'free', '{"input":"text\\n\\"quoted\\""}'),
    called('call_1_2', 'local_shell', '{"command":["ls","-l"],"workdir":"/tmp","timeout_ms":5}'),
    called('call_1_3', 'local_shell', '{"command":["pwd"]}'),
  ];
  const message = { role: 'assistant', content: null, tool_calls };
  expect(choices).toEqual([{ index: 0, message, finish_reason: 'tool_calls' }]);
});

const word = fc.string({ unit: 'grapheme', maxLength: 40 });
const anyTurn: fc.Arbitrary<ScriptedTurn> = fc.record(
  {
    reasoning: word,
    text: word,
    calls: fc.array(fc.oneof(fc.record({ name: word, arguments: word }), fc.record({ custom: word, input: word })), {
      maxLength: 3,
    }),
    chunkSize: fc.integer({ min: 1, max: 10 }),
    writeSize: fc.integer({ min: 5, max: 100 }),
  },
  { requiredKeys: [] },
);

test.each(WIRES)('the pieces of a %s stream say what the whole response says, however they are cut', async (wire) => {
  const model = await scriptedModel((request) => request.body['turn'] as ScriptedTurn);
  await fc.assert(
    fc.asyncProperty(anyTurn, async (turn) => {
      const streamed = await ask(model, wire, { turn, stream: true });
      const whole = await ask(model, wire, { turn });
      const { reasoning, text, calls = [] } = turn;
      const expected = {
        reasoning: reasoning ?? '',
        text: text ?? '',
        calls: calls.map((call) => expectedCall(wire, call)),
      };
      expect(saidInStream(wire, eventsIn(streamed.text))).toEqual(expected);
      expect(saidWhole(wire, JSON.parse(whole.text))).toEqual(expected);
    }),
    propertyRuns(40),
  );
});

describe.each(WIRES)('over %s', (wire) => {
  test('turns are played in their order, and then there are no more', async () => {
    const model = await scriptedModel([{ text: 'one' }, { text: 'two' }]);
    expect(texts(wire, [await ask(model, wire), await ask(model, wire)])).toEqual(['one', 'two']);
    const { status, text } = await ask(model, wire);
    const message = 'the script has no turn for request 3; add one';
    const error = { message, type: 'script_error', param: null, code: 'script_error' };
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({ status: 400, body: { error } });
  });

  test('a script may be a function of the request', async () => {
    const model = await scriptedModel(async ({ body }, index) => {
      if (index === 1) throw new Error('not this one');
      return { text: `${String(body['model'])} ${index}` };
    });
    const [first, second] = [
      await ask(model, wire, { model: 'm', stream: true }),
      await ask(model, wire, { model: 'm' }),
    ];
    expect(texts(wire, [first])).toEqual(['m 0']);
    expect([second.status, second.text.includes('the script failed: not this one')]).toEqual([400, true]);
  });

  test('headers of a turn are sent', async () => {
    const model = await scriptedModel([{ text: 'a', headers: { 'x-request-id': 'r1' } }]);
    expect((await ask(model, wire)).headers['x-request-id']).toBe('r1');
  });

  test('a body that is no JSON object is refused and takes no turn', async () => {
    const model = await scriptedModel([{ text: 'a' }]);
    expect((await ask(model, wire, '[1')).status).toBe(400);
    expect(texts(wire, [await ask(model, wire)])).toEqual(['a']);
    expect(model.requests.map(({ bodyText, body }) => [bodyText, body])).toEqual([
      ['[1', {}],
      ['{"stream":true}', { stream: true }],
    ]);
  });

  test('a held turn waits before its headers, and others need not', async () => {
    const { promise, release } = gate();
    const model = await scriptedModel([{ text: 'held', hold: promise }, { text: 'free' }]);
    const order: string[] = [];
    const noting = (got: Got) => void order.push(...texts(wire, [got]));
    const held = ask(model, wire).then(noting);
    await model.request(0);
    await ask(model, wire).then(noting);
    release();
    await held;
    expect(order).toEqual(['free', 'held']);
  });

  test('a turn held in its stream has sent what is before', async () => {
    const { promise, release } = gate();
    const model = await scriptedModel([{ text: 'abc', chunkSize: 1, hold: promise, holdAt: { afterItems: 1 } }]);
    const { response } = await open(model, wire);
    let text = '';
    const all = new Promise<void>((resolve) => response?.once('end', resolve));
    await new Promise<void>((resolve) => {
      response?.setEncoding('utf8').on('data', (data: string) => {
        text += data;
        if (saidInStream(wire, eventsIn(text.slice(0, text.lastIndexOf('\n\n') + 2))).text === 'abc') resolve();
      });
    });
    const ends = /response\.completed|\[DONE\]/;
    expect(ends.test(text)).toBe(false);
    release();
    await all;
    expect(ends.test(text)).toBe(true);
  });

  test('a client that leaves while it is held sets the server free', async () => {
    const model = await scriptedModel([{ text: 'a', hold: new Promise(() => {}) }, { text: 'b' }]);
    const sent = send(model, wire);
    await model.request(0);
    sent.destroy();
    await model.idle();
    expect(texts(wire, [await ask(model, wire)])).toEqual(['b']);
  });

  test('a client that leaves while the script makes up its mind sets the server free', async () => {
    const { promise, release } = gate();
    const model = await scriptedModel(async (_, index) => {
      if (index === 0) await promise;
      return { text: 'a' };
    });
    const sent = send(model, wire);
    await model.request(0);
    sent.destroy();
    await ask(model, wire);
    release();
    await model.idle();
    expect(model.requests.length).toBe(2);
  });

  test('closing ends what is held, and who waits for a request is told', async () => {
    const model = await startScriptedModel([{ hold: new Promise(() => {}) }]);
    const answer = ask(model, wire);
    await model.request(0);
    const never = model.request(1);
    await model.close();
    expect((await answer).ending).toBe('ECONNRESET');
    await expect(never).rejects.toThrow('the scripted model was closed before it got request 2');
  });
});

test('requests are kept as they came, and connections are told apart', async () => {
  const model = await scriptedModel([{ text: 'a' }, { text: 'b' }, { fault: { kind: 'reset' } }, { text: 'c' }]);
  const spaced = '{ "stream":true, "model": "ü" }';
  await ask(model, 'responses', spaced);
  await ask(model, 'chat', {});
  await ask(model, 'chat', {});
  await ask(model, 'chat', {});
  expect(model.requests.map(({ headers: _, ...rest }) => rest)).toEqual([
    { wire: 'responses', path: '/v1/responses', bodyText: spaced, body: { stream: true, model: 'ü' }, connection: 1 },
    { wire: 'chat', path: '/v1/chat/completions', bodyText: '{}', body: {}, connection: 1 },
    { wire: 'chat', path: '/v1/chat/completions', bodyText: '{}', body: {}, connection: 1 },
    { wire: 'chat', path: '/v1/chat/completions', bodyText: '{}', body: {}, connection: 2 },
  ]);
  expect(model.requests[0]?.headers['host']).toBe(`127.0.0.1:${model.port}`);
});

test('models are listed, and other paths are not there', async () => {
  const model = await scriptedModel([], { models: ['one', 'two'] });
  const fetched = (path: string) =>
    new Promise<readonly [number | undefined, unknown]>((resolve) => {
      get(`${model.baseUrl}${path}`, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (data: string) => (text += data));
        response.on('end', () => resolve([response.statusCode, JSON.parse(text)]));
      });
    });
  const listed = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'script' });
  expect(await fetched('/models?x=1')).toEqual([200, { object: 'list', data: [listed('one'), listed('two')] }]);
  expect((await fetched('/nothing'))[0]).toBe(404);
  expect(model.requests).toEqual([]);
});

function expectedCall(wire: Wire, call: ScriptedCall): { readonly name: string; readonly text: string } {
  if ('custom' in call) {
    return { name: call.custom, text: wire === 'chat' ? JSON.stringify({ input: call.input }) : call.input };
  }
  if ('name' in call && typeof call.arguments === 'string') return { name: call.name, text: call.arguments };
  throw new Error('such a call is not made here');
}

function gate(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release: () => release() };
}

function texts(wire: Wire, answers: readonly { readonly text: string }[]): readonly string[] {
  return answers.map(({ text }) => saidInStream(wire, eventsIn(text)).text);
}
