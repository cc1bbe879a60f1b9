import { describe, expect, test } from 'vitest';

import { localShellPayload } from '../../src/core/call.js';
import { callId } from '../../src/core/ids.js';
import type { JsonObject } from '../../src/core/json-object.js';
import type { Entry, ReplyEntry, ReplyItem, Wire } from '../../src/core/model.js';
import type { Answer } from '../../src/core/outcome.js';
import { FULL_DIALECT } from '../../src/core/provider.js';
import { PROTOCOLS } from './spelled-streams.js';

function encoded(wire: Wire, entry: Entry): unknown {
  return JSON.parse(`[${PROTOCOLS[wire].encode(entry, FULL_DIALECT)}]`);
}

const png = { kind: 'image', mediaType: 'image/png', base64: 'AAAA' } as const;
const text = (words: string) => ({ kind: 'text', text: words }) as const;

describe('what is said to a model', () => {
  const entry: Entry = { kind: 'input', role: 'user', content: [text('a'), { ...png, detail: 'original' }, text('b')] };

  test('keeps its images on the Responses wire', () => {
    expect(encoded('responses', entry)).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'original' },
          { type: 'input_text', text: 'b' },
        ],
      },
    ]);
  });

  test('keeps its images on the Chat wire, and is one text where there are none', () => {
    expect(encoded('chat', entry)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
    expect(encoded('chat', { ...entry, content: [text('a'), text('b')] })).toEqual([
      { role: 'user', content: 'a\n\nb' },
    ]);
  });
});

const call = (
  id: string,
  payload: Extract<ReplyItem, { kind: 'call' }>['call']['payload'],
  raw?: JsonObject,
): ReplyItem => ({
  kind: 'call',
  call: { id: callId(id), name: `tool_${id}`, payload },
  ...(raw && { raw }),
});
const madeUp = call('f', { kind: 'function', arguments: '{"a":1}' });
const free = call('c', { kind: 'custom', input: 'free "text"' });
const native = call('s', localShellPayload({ argv: ['ls', '-l'], cwd: '/tmp', timeoutMs: 5 }));
const said: ReplyItem = { kind: 'message', text: 'Hi.', phase: 'commentary' };
const saidAgain: ReplyItem = { kind: 'message', text: 'Done.' };

const reply = (wire: Wire, items: readonly ReplyItem[]): ReplyEntry => ({ kind: 'reply', wire, items });

describe('what a model sent', () => {
  test('goes back over the Responses wire as it came, item by item', () => {
    const raws = [
      { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: 'x', status: null },
      {
        type: 'message',
        id: 'm',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi.' }],
        phase: 'final',
        zz: [1],
      },
      { type: 'brand_new', id: 'n', anything: { at: ['all'] } },
      { type: 'web_search_call', id: 'ws', status: 'completed' },
    ];
    const kinds = [
      { kind: 'reasoning', text: '' },
      { kind: 'message', text: 'Hi.' },
      { kind: 'other' },
      { kind: 'hosted', name: 'w', id: 'ws', detail: {} },
    ] as const;
    const items = kinds.map((item, at): ReplyItem => Object.assign({ raw: raws[at] ?? {} }, item));
    expect(PROTOCOLS.responses.encode(reply('responses', items), FULL_DIALECT)).toBe(
      raws.map((raw) => JSON.stringify(raw)).join(','),
    );
  });

  test('goes back over the Chat wire as one message with the fields of the server', () => {
    const toolCall = {
      id: 'f',
      type: 'function',
      function: { name: 'tool_f', arguments: '{}' },
      extra_content: { sig: 'x' },
    };
    const items: ReplyItem[] = [
      {
        kind: 'reasoning',
        text: 'hm',
        raw: { reasoning_content: 'hm', reasoning_details: [{ type: 'x', data: 'y' }] },
      },
      { kind: 'message', text: 'Hi.', raw: { content: 'Hi.', annotations: ['a'] } },
      call('f', { kind: 'function', arguments: '{}' }, toolCall),
      { kind: 'other', raw: { audio: { id: 'a' } } },
    ];
    expect(encoded('chat', reply('chat', items))).toEqual([
      {
        role: 'assistant',
        content: 'Hi.',
        reasoning_content: 'hm',
        reasoning_details: [{ type: 'x', data: 'y' }],
        annotations: ['a'],
        audio: { id: 'a' },
        tool_calls: [toolCall],
      },
    ]);
  });

  test('is lowered from Responses to Chat: calls are functions in one message, the rest is not known there', () => {
    const raw = { type: 'x', id: 'only_there' };
    const items: ReplyItem[] = [
      { kind: 'reasoning', text: 'hm', raw },
      { ...said, raw },
      { kind: 'hosted', name: 'w', id: 'w', detail: {}, raw },
      call('f', { kind: 'function', arguments: '{"a":1}' }, raw),
      { ...free, raw },
      { ...native, raw },
      { kind: 'other', raw },
      saidAgain,
    ];
    const calls = {
      tool_f: { a: 1 },
      tool_c: { input: 'free "text"' },
      tool_s: { command: ['ls', '-l'], workdir: '/tmp', timeout_ms: 5 },
    };
    expect(encoded('chat', reply('responses', items))).toEqual([
      {
        role: 'assistant',
        content: 'Hi.\n\nDone.',
        tool_calls: Object.entries(calls).map(([name, given]) => ({
          id: name.slice(-1),
          type: 'function',
          function: { name, arguments: JSON.stringify(given) },
        })),
      },
    ]);
  });

  test('is lifted from Chat to Responses, and so is what was made up', () => {
    const raw = { content: 'Hi.' };
    const spelled = [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }], phase: 'commentary' },
      { type: 'function_call', call_id: 'f', name: 'tool_f', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'c', name: 'tool_c', input: 'free "text"' },
      {
        type: 'function_call',
        call_id: 's',
        name: 'tool_s',
        arguments: '{"command":["ls","-l"],"workdir":"/tmp","timeout_ms":5}',
      },
    ];
    const made = [said, madeUp, free, native];
    expect(encoded('responses', reply('responses', made))).toEqual(spelled);
    const came = [...made, { kind: 'reasoning', text: 'hm' } as const].map((item) => Object.assign({ raw }, item));
    expect(encoded('responses', reply('chat', came))).toEqual(spelled);
  });

  test('is nothing at all where nothing of it can be said', () => {
    const thought: ReplyItem = { kind: 'reasoning', text: 'hm', raw: { type: 'reasoning' } };
    expect(PROTOCOLS.chat.encode(reply('responses', [thought]), FULL_DIALECT)).toBe('');
    expect(PROTOCOLS.responses.encode(reply('chat', [thought]), FULL_DIALECT)).toBe('');
    expect(encoded('chat', reply('chat', [{ ...thought, raw: { reasoning: 'hm' } }]))).toEqual([
      { role: 'assistant', content: '', reasoning: 'hm' },
    ]);
  });

  test('has no content where it only calls', () => {
    expect(encoded('chat', reply('chat', [madeUp]))).toMatchObject([{ role: 'assistant', content: null }]);
  });
});

describe('answers', () => {
  const answer = (id: string, payloadKind: Answer['payloadKind'], content: Answer['content']): Answer => ({
    callId: callId(id),
    payloadKind,
    content,
    success: true,
  });
  const entry: Entry = {
    kind: 'answers',
    answers: [
      answer('f', 'function', [text('one '), png, text(' two')]),
      answer('c', 'custom', [text('three')]),
      answer('s', native.kind === 'call' ? native.call.payload.kind : 'custom', [png]),
    ],
  };
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };

  test('are of the kind of their call on the Responses wire', () => {
    expect(encoded('responses', entry)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'f',
        output: [{ type: 'input_text', text: 'one ' }, image, { type: 'input_text', text: ' two' }],
      },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'three' },
      { type: 'function_call_output', call_id: 's', output: [image] },
    ]);
  });

  test('follow their calls directly on the Chat wire, and images come behind all of them', () => {
    const seen = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(encoded('chat', entry)).toEqual([
      { role: 'tool', tool_call_id: 'f', content: 'one [image 1, shown after the results] two' },
      { role: 'tool', tool_call_id: 'c', content: 'three' },
      { role: 'tool', tool_call_id: 's', content: '[image 2, shown after the results]' },
      { role: 'user', content: [{ type: 'text', text: 'image 1:' }, seen, { type: 'text', text: 'image 2:' }, seen] },
    ]);
  });
});
