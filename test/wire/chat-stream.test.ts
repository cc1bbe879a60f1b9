/** What only the Chat Completions API has, and the many ways in which servers speak it. */
import { describe, expect, test } from 'vitest';

import type { ServerEvent } from '../../src/core/server-event.js';
import { PLAIN_DIALECT } from '../../src/core/provider.js';
import {
  PROTOCOLS,
  USAGE,
  chatChunk,
  chatEvent,
  chatUsage,
  deltasIn,
  functionCall,
  gist,
  itemsIn,
  listen,
} from './spelled-streams.js';

const DONE: ServerEvent = { data: '[DONE]' };
const END = [chatChunk({}, 'stop'), DONE];

const pieces = (...tool_calls: readonly object[]): ServerEvent => chatChunk({ tool_calls });
const calls = (...events: readonly ServerEvent[]) =>
  itemsIn(listen('chat', [...events, ...END])).flatMap((item) =>
    item.kind === 'call' && item.call.payload.kind === 'function'
      ? [[item.call.id, item.call.name, item.call.payload.arguments]]
      : [],
  );
const inner = (name: string | undefined, given?: unknown) => ({ function: { name, arguments: given } });

const MADE_UP = expect.stringMatching(/^[a-z0-9]{9}$/) as string;

describe('pieces of calls belong together', () => {
  test('by their index, in whatever order they come', () => {
    expect(
      calls(
        pieces({ index: 0, id: 'a', ...inner('one', '') }, { index: 1, id: 'b', ...inner('two', '') }),
        pieces({ index: 1, ...inner(undefined, '{"y"') }),
        pieces({ index: 0, ...inner(undefined, '{"x":1}') }, { index: 1, ...inner(undefined, ':2}') }),
      ),
    ).toEqual([
      ['a', 'one', '{"x":1}'],
      ['b', 'two', '{"y":2}'],
    ]);
  });

  test('by their id where there is no index', () => {
    expect(
      calls(
        pieces({ id: 'a', ...inner('one', '{"x"') }),
        pieces({ id: 'a', ...inner(undefined, ':1}') }),
        pieces({ id: 'b', ...inner('two', '{}') }),
      ),
    ).toEqual([
      ['a', 'one', '{"x":1}'],
      ['b', 'two', '{}'],
    ]);
  });

  test('because they follow one another where there is neither', () => {
    expect(
      calls(
        pieces({ ...inner('one', '{"x"') }),
        pieces({ ...inner(undefined, ':1}') }),
        pieces({ ...inner('two', '{}') }),
      ),
    ).toEqual([
      [MADE_UP, 'one', '{"x":1}'],
      [MADE_UP, 'two', '{}'],
    ]);
  });

  test('but not two whole calls that a server gives one index', () => {
    expect(
      calls(pieces({ index: 0, id: 'a', ...inner('one', '{}') }), pieces({ index: 0, id: 'b', ...inner('one', '{}') })),
    ).toEqual([
      ['a', 'one', '{}'],
      ['b', 'one', '{}'],
    ]);
  });

  test('also when every one of them has the name, or a new id', () => {
    expect(
      calls(
        pieces({ index: 0, id: 'a', ...inner('one', '{"x"') }),
        pieces({ index: 0, id: 'z', ...inner('one', ':1}') }),
        pieces({ index: 1, id: 'b', ...inner('t', '') }),
        pieces({ index: 1, ...inner('wo', '{}') }),
      ),
    ).toEqual([
      ['a', 'one', '{"x":1}'],
      ['b', 'two', '{}'],
    ]);
  });
});

describe('a call', () => {
  test('without an id gets one that is its own, and goes back with it', () => {
    const events = [pieces({ index: 0, id: '', ...inner('one', '{}') }, { index: 1, ...inner('one', '{}') }), ...END];
    const [first, second] = itemsIn(listen('chat', events)).map((item) => item.kind === 'call' && item);
    if (!first || !second) throw new Error('calls are missing');
    expect(first.call.id).toEqual(MADE_UP);
    expect(second.call.id).not.toBe(first.call.id);
    expect(first.raw).toEqual({ id: first.call.id, type: 'function', function: { name: 'one', arguments: '{}' } });
    const other = events.map(({ data }) => ({ data: data.replace('chatcmpl-1', 'chatcmpl-2') }));
    expect(itemsIn(listen('chat', other))[0]).not.toMatchObject({ call: { id: first.call.id } });
  });

  test('with the id of another gets one of its own', () => {
    expect(
      calls(pieces({ index: 0, id: 'a', ...inner('one', '{}') }, { index: 1, id: 'a', ...inner('two', '{}') })),
    ).toEqual([
      ['a', 'one', '{}'],
      [MADE_UP, 'two', '{}'],
    ]);
  });

  test('keeps fields that nobody here knows', () => {
    const extra_content = { google: { thought_signature: 'sig' } };
    const events = [
      pieces({ index: 0, id: 'a', type: 'function', extra_content, function: { name: 'one', arguments: '', z: 1 } }),
      pieces({ index: 0, function: { arguments: '{}' } }),
      ...END,
    ];
    expect(itemsIn(listen('chat', events)).map(({ raw }) => raw)).toEqual([
      { id: 'a', type: 'function', function: { name: 'one', arguments: '{}', z: 1 }, extra_content },
    ]);
  });

  test('may have its arguments as an object', () => {
    expect(calls(pieces({ index: 0, id: 'a', ...inner('one', { x: 1 }) }))).toEqual([['a', 'one', '{"x":1}']]);
  });

  test('of the older API is one too', () => {
    const events = [
      chatChunk({ function_call: { name: 'one', arguments: '' } }),
      chatChunk({ function_call: { arguments: '{"x":1}' } }),
      chatChunk({}, 'function_call'),
    ];
    expect(gist(listen('chat', events))).toEqual([
      functionCall({ id: MADE_UP, name: 'one', arguments: '{"x":1}' }),
      { kind: 'completed', stop: 'end' },
    ]);
  });

  test('may be a custom one', () => {
    const events = [
      pieces({ index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '*** ' } }),
      pieces({ index: 0, custom: { input: 'Begin' } }),
      ...END,
    ];
    expect(itemsIn(listen('chat', events))).toEqual([
      {
        kind: 'call',
        call: { id: 'a', name: 'patch', payload: { kind: 'custom', input: '*** Begin' } },
        raw: { id: 'a', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
      },
    ]);
  });

  test('that was cut off is none, and whole ones before it are', () => {
    const events = [
      pieces({ index: 0, id: 'a', ...inner('one', '{}') }, { index: 1, id: 'b', ...inner('two', '{"x":') }),
      chatChunk({}, 'length'),
    ];
    expect(gist(listen('chat', events))).toEqual([
      functionCall({ id: 'a', name: 'one', arguments: '{}' }),
      { kind: 'completed', stop: 'length' },
    ]);
  });

  test('with arguments that are not JSON is told at the end: its tool has the words for it', () => {
    expect(
      calls(
        pieces({ index: 0, id: 'a', ...inner('one', '{bad') }),
        pieces({ index: 1, id: 'b', ...inner('two', '{}') }),
      ),
    ).toEqual([
      ['a', 'one', '{bad'],
      ['b', 'two', '{}'],
    ]);
  });

  test('that has been told does not change any more', () => {
    const told = [
      pieces({ index: 0, id: 'a', ...inner('one', '{}') }),
      pieces({ index: 1, id: 'b', ...inner('two', '{}') }),
    ];
    expect(calls(...told, pieces({ index: 0, ...inner(undefined, 'late') }))).toEqual([
      ['a', 'one', '{}'],
      ['b', 'two', '{}'],
    ]);
  });

  test('without a name is none', () => {
    const nameless = pieces({ index: 0, id: 'a', ...inner(undefined, '{}') });
    expect(calls(nameless)).toEqual([]);
    expect(calls(nameless, pieces({ index: 1, id: 'b', ...inner('two', '{}') }))).toEqual([['b', 'two', '{}']]);
  });
});

describe('what a model says and thinks', () => {
  test('may come as parts', () => {
    const events = [
      chatChunk({ content: [{ type: 'text', text: 'Hel' }] }),
      chatChunk({ content: [{ type: 'text', text: 'lo' }] }),
      ...END,
    ];
    const heard = listen('chat', events);
    expect(deltasIn(heard, 'text-delta')).toBe('Hello');
    expect(gist(heard)[0]).toEqual({ kind: 'message', text: 'Hello' });
  });

  test.each([
    ['reasoning_content', ['th', 'ink'], 'think'],
    ['reasoning', ['th', 'ink'], 'think'],
    ['reasoning', [{ text: 'th' }, { text: 'ink' }], { text: 'think' }],
    ['reasoning', [{ content: 'th' }, { content: 'ink' }], { content: 'think' }],
  ])('may be thought under %s: %j', (field, [one, two], kept) => {
    const heard = listen('chat', [chatChunk({ [field]: one }), chatChunk({ [field]: two }), ...END]);
    expect(deltasIn(heard, 'reasoning-delta')).toBe('think');
    expect(itemsIn(heard)).toEqual([{ kind: 'reasoning', text: 'think', raw: { [field]: kept } }]);
  });

  test('is thought once where a server uses two names', () => {
    const heard = listen('chat', [chatChunk({ reasoning: 'a', reasoning_content: 'a' }), ...END]);
    expect(itemsIn(heard)).toEqual([{ kind: 'reasoning', text: 'a', raw: { reasoning: 'a', reasoning_content: 'a' } }]);
  });

  test('keeps sealed thoughts together, piece by piece', () => {
    const detail = (rest: object) => chatChunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...rest }] });
    const heard = listen('chat', [
      detail({ text: 'a', signature: null }),
      detail({ text: 'b', signature: null }),
      detail({ signature: 'sig' }),
      chatChunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 0, data: 'x' }] }),
      ...END,
    ]);
    expect(itemsIn(heard)).toEqual([
      {
        kind: 'reasoning',
        text: '',
        raw: {
          reasoning_details: [
            { type: 'reasoning.text', index: 0, text: 'ab', signature: 'sig' },
            { type: 'reasoning.encrypted', index: 0, data: 'x' },
          ],
        },
      },
    ]);
  });

  test('that was thought without a word is no item, but goes back', () => {
    const items = itemsIn(listen('chat', [chatChunk({ content: 'a', reasoning_content: '' }), ...END]));
    expect(items).toEqual([{ kind: 'message', text: 'a', raw: { content: 'a', reasoning_content: '' } }]);
  });

  test('that was nothing is no item', () => {
    const heard = listen('chat', [
      chatChunk({ role: 'assistant', content: '', refusal: null, tool_calls: [] }),
      ...END,
    ]);
    expect(heard.events).toEqual([{ kind: 'completed', stop: 'end' }]);
  });

  test('in words of refusal is said', () => {
    const heard = listen('chat', [chatChunk({ refusal: 'I ' }), chatChunk({ refusal: 'cannot.' }), ...END]);
    expect(itemsIn(heard)).toEqual([{ kind: 'message', text: 'I cannot.', raw: { refusal: 'I cannot.' } }]);
  });

  test('after a call is a message of its own, and goes back as one with the first', () => {
    const events = [
      chatChunk({ content: 'First.' }),
      pieces({ index: 0, id: 'a', ...inner('one', '{}') }, { index: 1, id: 'b', ...inner('two', '{}') }),
      chatChunk({ content: ' Then.' }),
      ...END,
    ];
    const items = itemsIn(listen('chat', events));
    expect(items.map((item) => (item.kind === 'message' ? item.text : item.kind))).toEqual([
      'First.',
      'call',
      ' Then.',
      'call',
    ]);
    const encoded = PROTOCOLS.chat.encode({ kind: 'reply', wire: 'chat', items }, PLAIN_DIALECT);
    expect(JSON.parse(encoded)).toMatchObject({ content: 'First. Then.', tool_calls: [{ id: 'a' }, { id: 'b' }] });
  });
});

describe('the end', () => {
  test('comes without its mark where the stream ends', () => {
    expect(listen('chat', [chatChunk({ content: 'a' }), chatChunk({}, 'stop')]).failure).toBeUndefined();
  });

  test('comes with its mark alone where something was said', () => {
    expect(gist(listen('chat', [chatChunk({ content: 'a' }), DONE]))).toEqual([
      { kind: 'message', text: 'a' },
      { kind: 'completed', stop: 'end' },
    ]);
    expect(listen('chat', [DONE]).failure).toMatchObject({ kind: 'closed' });
  });

  test.each([
    [
      'with the reason',
      [chatEvent({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }], usage: chatUsage() })],
    ],
    ['before it', [chatEvent({ choices: [{ delta: { content: 'a' } }], usage: chatUsage() }), chatChunk({}, 'stop')]],
    ['behind it', [chatChunk({ content: 'a' }, 'stop'), chatEvent({ choices: [], usage: chatUsage() }), DONE]],
  ])('says what it cost: %s', (_where, events) => {
    expect(listen('chat', events).events.at(-1)).toEqual({ kind: 'completed', stop: 'end', usage: USAGE });
  });

  test('counts what other servers call cached', () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 2,
      prompt_cache_hit_tokens: 7,
      prompt_tokens_details: { cache_write_tokens: 3 },
    };
    expect(listen('chat', [chatChunk({}, 'stop'), chatEvent({ usage })]).events).toEqual([
      {
        kind: 'completed',
        stop: 'end',
        usage: {
          inputTokens: 10,
          cachedInputTokens: 7,
          cacheWriteInputTokens: 3,
          outputTokens: 2,
          reasoningOutputTokens: 0,
        },
      },
    ]);
  });

  test('is of the first choice only', () => {
    const other = chatEvent({ choices: [{ index: 1, delta: { content: 'no' }, finish_reason: 'stop' }] });
    expect(gist(listen('chat', [chatChunk({ content: 'a' }), other, ...END]))[0]).toEqual({
      kind: 'message',
      text: 'a',
    });
  });
});

describe('a failure in the stream', () => {
  test.each([
    [{ error: { code: 502, message: 'Upstream.' }, choices: [{ delta: {}, finish_reason: 'error' }] }, 'server', 502],
    [{ error: { code: 429, message: 'Slow.' } }, 'rate-limit', 429],
    [{ error: 'out of memory' }, 'server', undefined],
    [{ object: 'error', message: 'Bad.', type: 'invalid_request_error', code: 400 }, 'refused', 400],
    [{ error: { message: "This model's maximum context length is 10 tokens." } }, 'overflow', undefined],
  ])('%j is %s', (event, kind, status) => {
    const { failure } = listen('chat', [chatChunk({ content: 'a' }), chatEvent(event)]);
    expect(failure).toMatchObject({ kind, streaming: true });
    expect(failure?.status).toBe(status);
  });

  test('may be a reason to stop', () => {
    expect(
      listen('chat', [chatChunk({ content: 'a' }), chatChunk({}, 'insufficient_system_resource')]).failure,
    ).toMatchObject({
      kind: 'server',
      message: 'the server broke the response off (insufficient_system_resource)',
    });
  });

  test.each(['{"message":"boom"}', 'boom', '"boom"'])(
    'may be an event of its own, as JSON or in plain words: %s',
    (data) => {
      expect(listen('chat', [{ name: 'error', data }]).failure).toMatchObject({
        kind: 'server',
        message: 'the server reported an error: boom',
      });
    },
  );
});

describe('a piece that came damaged', () => {
  const TORN: ServerEvent = { data: '{"choices":[{"delta":{"content":" not' };
  const HOLE = {
    kind: 'garbled',
    streaming: true,
    message: 'the response has a hole: a piece of it, as the server sent it, is not valid JSON',
  };
  const heard = (...events: readonly ServerEvent[]) => {
    const { events: told, failure } = listen('chat', [...events, ...END]);
    return { told: gist({ events: told }), failure: failure && { ...failure, message: failure.message } };
  };
  const hole = (...told: readonly unknown[]) => ({ told, failure: expect.objectContaining(HOLE) as unknown });

  test('leaves a hole in a call, which is not told', () => {
    const begun = pieces({ index: 0, id: 'a', ...inner('one', '{"path":"/tmp') });
    const rest = pieces({ index: 0, ...inner(undefined, '"}') });
    expect(heard(begun, TORN, rest)).toEqual(hole());
  });

  test('takes nothing from a call that was whole before it', () => {
    const begun = [
      pieces({ index: 0, id: 'a', ...inner('one', '{}') }),
      pieces({ index: 1, id: 'b', ...inner('two', '{"x":') }),
    ];
    expect(heard(...begun, TORN, pieces({ index: 1, ...inner(undefined, '1}') }))).toEqual(
      hole(functionCall({ id: 'a', name: 'one', arguments: '{}' })),
    );
  });

  test('leaves a hole in a text, also as the first of all pieces', () => {
    expect(heard(chatChunk({ content: 'Do' }), TORN, chatChunk({ content: ' delete it.' }))).toEqual(hole());
    expect(heard(TORN, chatChunk({ content: ' delete it.' }))).toEqual(hole());
    expect(heard(TORN)).toEqual(hole());
  });

  test('after the last of the response takes nothing from it', () => {
    const events = [chatChunk({ content: 'Done.' }, 'stop'), TORN, chatEvent({ choices: [], usage: chatUsage() })];
    expect(heard(...events)).toEqual({
      told: [
        { kind: 'message', text: 'Done.' },
        { kind: 'completed', stop: 'end', usage: USAGE },
      ],
      failure: undefined,
    });
  });
});
