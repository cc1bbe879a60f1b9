/** What both wires have to make of one reply. */
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { Wire } from '../../src/core/model.js';
import { PLAIN_DIALECT } from '../../src/core/provider.js';
import type { ServerEvent } from '../../src/core/server-event.js';
import {
  PROTOCOLS,
  SPELLINGS,
  USAGE,
  chatEvent,
  chatUsage,
  deltasIn,
  functionCall,
  gist,
  listen,
  responsesItems,
} from './spelled-streams.js';
import type { Reply } from './spelled-streams.js';

const LIST = { id: 'call_a', name: 'list_dir', arguments: '{"path":"src"}' };
const READ = { id: 'call_b', name: 'read_file', arguments: '{"path":"grün.txt"}' };

const completed = (stop: 'end' | 'length' | 'filter' = 'end') => ({ kind: 'completed', stop, usage: USAGE });

/** In the middle of each stream something goes wrong. */
const FAILURES: Readonly<Record<Wire, (code: string, message: string) => ServerEvent>> = {
  responses: (code, message) => ({
    name: 'response.failed',
    data: JSON.stringify({ type: 'response.failed', response: { status: 'failed', error: { code, message } } }),
  }),
  chat: (code, message) => chatEvent({ error: { code, message, type: 'x' } }),
};

const BODIES: Readonly<Record<Wire, (reply: Reply) => Record<string, unknown>>> = {
  responses: (reply) => ({
    object: 'response',
    status: 'completed',
    output: responsesItems(reply),
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
    },
  }),
  chat: ({ reasoning, text, calls = [] }) => ({
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text ?? null,
          reasoning_content: reasoning,
          refusal: null,
          tool_calls: calls.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: given },
          })),
        },
        finish_reason: 'stop',
      },
    ],
    usage: chatUsage(),
  }),
};

describe.each(WIRES)('on the %s wire', (wire) => {
  const stream = SPELLINGS[wire];

  test('a text comes in deltas, then whole, then the end with what it cost', () => {
    expect(listen(wire, stream({ text: 'Hällo, world' }, 5))).toEqual({
      events: [
        { kind: 'text-delta', text: 'Hällo' },
        { kind: 'text-delta', text: ', wor' },
        { kind: 'text-delta', text: 'ld' },
        { kind: 'item', item: { kind: 'message', text: 'Hällo, world', raw: expect.anything() } },
        completed(),
      ],
    });
  });

  test('reasoning, text and calls come in that order', () => {
    const heard = listen(wire, stream({ reasoning: 'hm', text: 'Let me see.', calls: [LIST, READ] }));
    expect(gist(heard)).toEqual([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'message', text: 'Let me see.' },
      functionCall(LIST),
      functionCall(READ),
      completed(),
    ]);
    expect(deltasIn(heard, 'reasoning-delta')).toBe('hm');
  });

  test('a call is told before the response is over', () => {
    const events = stream({ text: 'Two.', calls: [LIST, READ] });
    const begun = events.findIndex(({ data }) => data.includes('call_b'));
    expect(gist(listen(wire, events.slice(0, begun + 1)))).toEqual([
      { kind: 'message', text: 'Two.' },
      functionCall(LIST),
    ]);
  });

  test('a response without anything in it is complete', () => {
    expect(gist(listen(wire, stream({})))).toEqual([completed()]);
  });

  test.each(['length', 'filter'] as const)('a response that was cut by %s says so', (stop) => {
    expect(gist(listen(wire, stream({ text: 'Half a', stop })))).toEqual([
      { kind: 'message', text: 'Half a' },
      completed(stop),
    ]);
  });

  test.each(['', ' ', 'ping', '[PING]', '7', 'null', '[]', '"still here"'])(
    'data that was never a piece of a response is passed over: %j',
    (data) => {
      const events = stream({ text: 'still here', calls: [LIST] });
      const padded = events.flatMap((event) => [{ data }, event]);
      expect(listen(wire, padded)).toEqual(listen(wire, events));
    },
  );

  test('after the end nothing is heard', () => {
    const events = stream({ text: 'once' });
    expect(listen(wire, [...events, ...events])).toEqual(listen(wire, events));
  });

  test('a stream that ends before its end is closed', () => {
    const { failure } = listen(wire, stream({ text: 'never done' }).slice(0, 3));
    expect(failure).toMatchObject({
      kind: 'closed',
      streaming: true,
      message: 'the stream of the server ended before its response was complete',
    });
  });

  test.each([
    ['nothing', []],
    ['noise', [{ data: '\u0000\u0001 not an event stream' }]],
    ['other JSON', [{ data: '[1,2]' }, { data: '{"hello":"world"}' }, { data: 'null' }]],
  ])('%s is no stream of a model', (_what, events) => {
    expect(listen(wire, events).failure).toMatchObject({
      kind: 'garbled',
      streaming: false,
      message: 'what the server sent is not a response of a model. Check base_url and wire_api of the provider.',
    });
  });

  test.each([
    ['context_length_exceeded', 'Your input exceeds the context window of this model.', 'overflow', undefined],
    ['rate_limit_exceeded', 'Rate limit reached. Please try again in 1.5s. Visit us.', 'rate-limit', 1500],
    ['rate_limit_exceeded', 'Please try again in 20ms.', 'rate-limit', 20],
    ['rate_limit_exceeded', 'try again in 3 minutes', 'rate-limit', 180_000],
    ['rate_limit_exceeded', 'try again in 1m30.5s', 'rate-limit', 90_500],
    ['rate_limit_exceeded', 'slow down', 'rate-limit', undefined],
    ['insufficient_quota', 'You exceeded your current quota.', 'quota', undefined],
    ['usage_limit_reached', 'Limit.', 'quota', undefined],
    ['usage_not_included', 'Not in your plan.', 'quota', undefined],
    ['billing_hard_limit_reached', 'Pay.', 'quota', undefined],
    ['invalid_prompt', 'Not that.', 'refused', undefined],
    ['invalid_request_error', 'No.', 'refused', undefined],
    ['server_error', 'We are sorry.', 'server', undefined],
    ['server_is_overloaded', 'Busy, try again in 2 seconds.', 'server', 2000],
    ['never_heard_of', 'What?', 'server', undefined],
  ])('a stream that fails with %s (%s) fails as %s', (code, message, kind, retryAfterMs) => {
    const { events, failure } = listen(wire, [
      ...stream({ text: 'so far' }).slice(0, 3),
      FAILURES[wire](code, message),
    ]);
    expect(deltasIn({ events }, 'text-delta').startsWith('so')).toBe(true);
    expect(failure).toMatchObject({ kind, streaming: true });
    expect(failure?.retryAfterMs).toBe(retryAfterMs);
    expect(failure?.message).toContain(message.replace(/\.$/, ''));
  });

  test('a response in one piece says the same as a stream', () => {
    const reply = { reasoning: 'hm', text: 'Here.', calls: [LIST, READ] };
    const events = PROTOCOLS[wire].whole(BODIES[wire](reply), PLAIN_DIALECT, []);
    expect(gist({ events })).toEqual(gist(listen(wire, stream(reply))));
    expect(events).toHaveLength(5);
  });

  test('a response in one piece that is none is refused', () => {
    const whole = (body: Record<string, unknown>) => () => PROTOCOLS[wire].whole(body, PLAIN_DIALECT, []);
    expect(whole({ hello: 'world' })).toThrow(expect.objectContaining({ kind: 'garbled' }));
    expect(whole({ error: { code: 'insufficient_quota', message: 'Pay.' } })).toThrow(
      expect.objectContaining({ kind: 'quota' }),
    );
  });
});

describe.each(WIRES)('calls written as text on the %s wire', (wire) => {
  const stream = SPELLINGS[wire];
  const marked = { dialect: { textToolCalls: true }, toolNames: ['list_dir'] };
  const text = 'I look.\n<tool_call>{"name": "list_dir", "arguments": {"path": "src"}}</tool_call>';

  test('are calls where a provider is marked for it, and the rest stays text', () => {
    const heard = listen(wire, stream({ text }), marked);
    const id = expect.stringMatching(/^[a-z0-9]{9}$/);
    expect(heard.events.filter((event) => event.kind !== 'text-delta')).toEqual([
      { kind: 'item', item: { kind: 'message', text: 'I look.' } },
      { kind: 'item', item: functionCall({ ...LIST, id: id as string }) },
      completed(),
    ]);
    expect(listen(wire, stream({ text }), marked)).toEqual(heard);
  });

  test('stay text elsewhere, and beside a real call', () => {
    expect(gist(listen(wire, stream({ text }), { toolNames: ['list_dir'] }))).toEqual([
      { kind: 'message', text },
      completed(),
    ]);
    expect(gist(listen(wire, stream({ text, calls: [READ] }), marked))).toEqual([
      { kind: 'message', text },
      functionCall(READ),
      completed(),
    ]);
  });
});
