/** What only the Responses API has. */
import { describe, expect, test } from 'vitest';

import { PLAIN_DIALECT } from '../../src/core/provider.js';
import type { ServerEvent } from '../../src/core/server-event.js';
import {
  PROTOCOLS,
  SPELLINGS,
  USAGE,
  bare,
  deltasIn,
  functionCall,
  gist,
  itemsIn,
  listen,
  responsesItems,
} from './spelled-streams.js';

const LIST = { id: 'call_a', name: 'list_dir', arguments: '{}' };

const named = (value: { readonly type: string; readonly [key: string]: unknown }): ServerEvent => ({
  name: value.type,
  data: JSON.stringify(value),
});
const done = (item: object): ServerEvent => named({ type: 'response.output_item.done', item });
const completed = (response: object = {}): ServerEvent => named({ type: 'response.completed', response });

const read = (item: object) => itemsIn(listen('responses', [done(item), completed()]));

describe('items', () => {
  test('that are only listed at the end count', () => {
    const whole = SPELLINGS.responses({ reasoning: 'hm', text: 'Hi.', calls: [LIST] });
    const undone = whole.filter(({ name }) => name !== 'response.output_item.done');
    expect(gist(listen('responses', undone))).toEqual(gist(listen('responses', whole)));
  });

  test('that were lost on the way are found in the list at the end', () => {
    const whole = SPELLINGS.responses({ text: 'Hi.', calls: [LIST] });
    const lossy = whole.filter(({ name, data }) => name !== 'response.output_item.done' || !data.includes('call_a'));
    expect(gist(listen('responses', lossy))).toEqual(gist(listen('responses', whole)));
  });

  test('that come twice count once', () => {
    const [item] = responsesItems({ calls: [LIST] });
    const heard = listen('responses', [done(item ?? {}), done(item ?? {}), completed({ output: [item] })]);
    expect(gist(heard)).toEqual([functionCall(LIST), { kind: 'completed', stop: 'end' }]);
  });

  test('without ids all count, once', () => {
    const { id: _id, ...message } = responsesItems({ text: 'Hi.' })[0] ?? { id: '' };
    const heard = listen('responses', [done(message), done(message), completed({ output: [message, message] })]);
    expect(itemsIn(heard).map(bare)).toEqual([
      { kind: 'message', text: 'Hi.' },
      { kind: 'message', text: 'Hi.' },
    ]);
  });

  test('a message that only came in pieces is a message', () => {
    const pieces = SPELLINGS.responses({ text: 'Hello there' }).filter(({ name }) => name?.endsWith('.delta'));
    expect(itemsIn(listen('responses', [...pieces, completed({ output: [] })]))).toEqual([
      { kind: 'message', text: 'Hello there' },
    ]);
  });

  test('half a call is none', () => {
    const half = { type: 'function_call', id: 'fc', call_id: 'c', name: 'x', arguments: '{"a', status: 'incomplete' };
    const begun = { ...half, id: 'fd', status: 'in_progress' };
    const end = named({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [half, begun] },
    });
    expect(gist(listen('responses', [done(half), end]))).toEqual([{ kind: 'completed', stop: 'length' }]);
  });
});

describe('calls of one item id', () => {
  const call = (call_id: string, id = 'fc_same') => ({
    type: 'function_call',
    id,
    call_id,
    name: 'list_dir',
    arguments: `{"path":"${call_id}"}`,
  });
  const ids = (events: readonly ServerEvent[]) =>
    itemsIn(listen('responses', events)).map((item) => item.kind === 'call' && item.call.id);

  test('are two calls when their call ids differ', () => {
    const output = [call('a'), call('b')];
    expect(ids([...output.map(done), completed()])).toEqual(['a', 'b']);
    expect(ids([...output.map(done), completed({ output })])).toEqual(['a', 'b']);
    expect(ids([done(call('a')), completed({ output })])).toEqual(['a', 'b']);
    expect(ids([completed({ output })])).toEqual(['a', 'b']);
  });

  test('are one call when it is the same call id, whatever the item ids', () => {
    expect(ids([done(call('a')), done(call('a', 'fc_b')), completed({ output: [call('a', 'fc_c')] })])).toEqual(['a']);
    expect(ids([completed({ output: [call('a'), call('a', 'fc_b')] })])).toEqual(['a']);
  });

  test('are known again by their order where a server lists them under new ids', () => {
    const output = [call('x', 'fc_x'), call('y', 'fc_y')];
    expect(ids([done(call('a')), done(call('b')), completed({ output })])).toEqual(['a', 'b']);
  });
});

describe('messages of one id', () => {
  const message = (text: string, id: string | undefined = 'msg_0') => ({
    type: 'message',
    ...(id !== '' && { id }),
    content: [{ type: 'output_text', text }],
  });
  const texts = (events: readonly ServerEvent[]) =>
    itemsIn(listen('responses', events)).map((item) => item.kind === 'message' && item.text);

  test('all count, and once', () => {
    const output = [message('one'), message('two'), message('three')];
    expect(texts([...output.map(done), completed({ output })])).toEqual(['one', 'two', 'three']);
    expect(texts([...output.slice(0, 2).map(done), completed({ output })])).toEqual(['one', 'two', 'three']);
    expect(texts([completed({ output })])).toEqual(['one', 'two', 'three']);
  });

  test('or of none are known by their order', () => {
    const output = [message('one', ''), message('two', '')];
    expect(texts([done(message('one', '')), completed({ output })])).toEqual(['one', 'two']);
    expect(texts([done(message('one')), completed({ output })])).toEqual(['one', 'two']);
  });
});

describe('a piece that came damaged', () => {
  const TORN: ServerEvent = { name: 'response.output_item.done', data: '{"type":"response.output_item.done","ite' };
  const output = responsesItems({ text: 'Hi.', calls: [LIST] });

  test('harms nothing where the end lists what there was', () => {
    const [message] = output;
    const heard = listen('responses', [done(message ?? {}), TORN, completed({ output })]);
    expect(gist(heard)).toEqual([
      { kind: 'message', text: 'Hi.' },
      functionCall(LIST),
      { kind: 'completed', stop: 'end' },
    ]);
  });

  test.each([{}, { output: [] }])('may have been an item where the end lists nothing: %j', (response) => {
    const { failure } = listen('responses', [...output.map(done), TORN, completed(response)]);
    expect(failure).toMatchObject({ kind: 'garbled', streaming: true });
  });
});

test('what a model writes behind a real call is text, also where calls are looked for in texts', () => {
  const text = '<tool_call>{"name":"list_dir","arguments":{}}</tool_call>';
  const items = responsesItems({ text, calls: [LIST] }).toReversed();
  const heard = listen('responses', [...items.map(done), completed()], {
    dialect: { textToolCalls: true },
    toolNames: ['list_dir'],
  });
  expect(itemsIn(heard).map(bare)).toEqual([functionCall(LIST), { kind: 'message', text }]);
});

test('what is kept back until it is clear whether it holds calls keeps its order', () => {
  const thought = { type: 'reasoning', id: 'rs_9', summary: [{ text: 'then' }] };
  const [message, call] = responsesItems({ text: 'First.', calls: [LIST] });
  const marked = { dialect: { textToolCalls: true }, toolNames: ['list_dir'] };
  const expected = [
    { kind: 'message', text: 'First.' },
    { kind: 'reasoning', text: 'then' },
  ];
  const stream = [done(message ?? {}), done(thought)];
  expect(itemsIn(listen('responses', [...stream, completed()], marked)).map(bare)).toEqual(expected);
  expect(itemsIn(listen('responses', [...stream, done(call ?? {})], marked)).map(bare)).toEqual([
    ...expected,
    functionCall(LIST),
  ]);
});

describe('an item', () => {
  test('of a message keeps its phase and says a refusal', () => {
    const raw = {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'I ' },
        { type: 'refusal', refusal: 'cannot.' },
      ],
      phase: 'commentary',
    };
    expect(read(raw)).toEqual([{ kind: 'message', text: 'I cannot.', phase: 'commentary', raw }]);
  });

  test('of reasoning shows its summary and what was thought in the open', () => {
    const raw = {
      type: 'reasoning',
      summary: [
        { type: 'summary_text', text: 'one' },
        { type: 'summary_text', text: 'two' },
      ],
      content: [{ type: 'reasoning_text', text: 'three' }],
    };
    expect(read(raw)).toEqual([{ kind: 'reasoning', text: 'one\n\ntwo\n\nthree', raw }]);
  });

  test('of a call with free text is a custom one', () => {
    const raw = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' };
    expect(read(raw)).toEqual([
      { kind: 'call', call: { id: 'c', name: 'patch', payload: { kind: 'custom', input: '*** Begin' } }, raw },
    ]);
  });

  test('of the native shell is called by its kind, and has an id that can be answered', () => {
    const action = { type: 'exec', command: ['ls', 7, '-l'], working_directory: '/tmp', timeout_ms: 9, env: {} };
    const raw = { type: 'local_shell_call', id: 'ls_1', status: 'completed', action };
    const payload = { kind: 'local_shell', argv: ['ls', '-l'], cwd: '/tmp', timeoutMs: 9 };
    expect(read(raw)).toEqual([
      { kind: 'call', call: { id: 'ls_1', name: 'local_shell', payload }, raw: { ...raw, call_id: 'ls_1' } },
    ]);
    expect(read({ type: 'local_shell_call', call_id: 'x' })).toMatchObject([{ call: { payload: { argv: [] } } }]);
  });

  test('of a call in a namespace has both names', () => {
    const raw = { type: 'function_call', call_id: 'c', namespace: 'mcp__every', name: 'echo', arguments: { a: 1 } };
    expect(read(raw)).toEqual([
      {
        kind: 'call',
        call: { id: 'c', name: 'mcp__every__echo', payload: { kind: 'function', arguments: '{"a":1}' } },
        raw,
      },
    ]);
  });

  test('of a tool of the server is told, with what it did', () => {
    const raw = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } };
    const detail = { status: 'completed', action: { type: 'search', query: 'q' } };
    expect(read(raw)).toEqual([{ kind: 'hosted', name: 'web_search', id: 'ws_1', detail, raw }]);
  });

  test.each([
    { type: 'brand_new_thing', id: 'x', deep: { er: [1] } },
    { type: 'function_call', call_id: 'nameless' },
    { type: 'message', role: 'user', content: [] },
    { no: 'type' },
  ])('of no kind we know is kept: %j', (raw) => {
    expect(read(raw)).toEqual([{ kind: 'other', raw }]);
  });
});

describe('the stream', () => {
  test('needs no names of events where the data has them', () => {
    const whole = SPELLINGS.responses({ reasoning: 'hm', text: 'Hi.', calls: [LIST] });
    const nameless = whole.map(({ data }) => ({ data }));
    expect(listen('responses', nameless)).toEqual(listen('responses', whole));
    expect(
      listen(
        'responses',
        whole.map(({ data }) => ({ name: 'message', data })),
      ),
    ).toEqual(listen('responses', whole));
  });

  test('does not read what says nothing new', () => {
    const protocol = PROTOCOLS.responses;
    const unread = {
      name: 'response.function_call_arguments.delta',
      get data(): string {
        throw new Error('was read');
      },
    };
    expect(protocol.step(protocol.start(PLAIN_DIALECT, []), unread).events).toEqual([]);
  });

  test('keeps the parts of a summary apart', () => {
    const delta = (summary_index: number, text: string, item_id = 'rs_1') =>
      named({ type: 'response.reasoning_summary_text.delta', item_id, summary_index, delta: text });
    const heard = listen('responses', [
      delta(0, 'on'),
      delta(0, 'e'),
      delta(1, 'two'),
      named({ type: 'response.reasoning_text.delta', item_id: 'rs_1', content_index: 0, delta: 'three' }),
      delta(0, 'another', 'rs_2'),
      completed(),
    ]);
    expect(deltasIn(heard, 'reasoning-delta')).toBe('one\n\ntwo\n\nthreeanother');
  });

  test.each([true, false])('hands on whether the model wants to go on: %s', (end_turn) => {
    expect(listen('responses', [completed({ end_turn })]).events).toEqual([
      { kind: 'completed', stop: 'end', endTurn: end_turn },
    ]);
  });

  test.each([
    { type: 'error', code: 'rate_limit_exceeded', message: 'Try again in 2s.' },
    { type: 'error', error: { type: 'rate_limit_exceeded', message: 'Try again in 2s.' } },
    { type: 'response.completed', response: { error: { code: 'rate_limit_exceeded', message: 'Try again in 2s.' } } },
    { type: 'response.failed', response: { error: { code: 429, message: 'Try again in 2s.' } } },
  ])('fails when it says so: %j', (event) => {
    expect(listen('responses', [{ data: JSON.stringify(event) }]).failure).toMatchObject({
      kind: 'rate-limit',
      retryAfterMs: 2000,
      streaming: true,
      message: 'the server reported an error: Try again in 2s.',
    });
  });

  test('fails when an error comes in plain words', () => {
    const message = 'the server reported an error: out of memory';
    expect(listen('responses', [{ name: 'error', data: 'out of memory' }]).failure).toMatchObject({ message });
  });

  test('fails when an error comes without any type', () => {
    const event = { data: '{"error":{"message":"out of memory"}}' };
    expect(listen('responses', [event]).failure).toMatchObject({ kind: 'server' });
  });

  test('that was cancelled by the server has failed', () => {
    expect(listen('responses', [completed({ status: 'cancelled' })]).failure).toMatchObject({ kind: 'server' });
  });

  test('reads tokens where a server counts few of them', () => {
    const usage = { input_tokens: 100, output_tokens: 20 };
    expect(listen('responses', [completed({ usage })]).events).toEqual([
      { kind: 'completed', stop: 'end', usage: { ...USAGE, cachedInputTokens: 0, reasoningOutputTokens: 0 } },
    ]);
    expect(listen('responses', [completed({ usage: { total: 'many' } })]).events).toEqual([
      { kind: 'completed', stop: 'end' },
    ]);
  });
});
