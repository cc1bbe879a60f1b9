/** One reply of a model as the stream of either API, and what is read from such a stream. */
import { PLAIN_DIALECT } from '../../src/core/provider.js';
import type { Dialect } from '../../src/core/provider.js';
import { ModelError } from '../../src/core/model.js';
import type { ModelEvent, ReplyItem, Wire } from '../../src/core/model.js';
import type { ServerEvent } from '../../src/core/server-event.js';
import { chatProtocol } from '../../src/wire/chat-protocol.js';
import type { Protocol } from '../../src/wire/protocol.js';
import { responsesProtocol } from '../../src/wire/responses-protocol.js';

export type SpelledCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type Reply = {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly SpelledCall[];
  readonly stop?: 'end' | 'length' | 'filter';
};

const TOKENS = { input: 100, cached: 60, output: 20, reasoning: 5 };

export const USAGE = {
  inputTokens: 100,
  cachedInputTokens: 60,
  cacheWriteInputTokens: 0,
  outputTokens: 20,
  reasoningOutputTokens: 5,
};

export const PROTOCOLS: Readonly<Record<Wire, Protocol<unknown>>> = {
  responses: responsesProtocol,
  chat: chatProtocol,
};

/** In pieces of `size` characters. */
export const SPELLINGS: Readonly<Record<Wire, (reply: Reply, size?: number) => readonly ServerEvent[]>> = {
  responses: responsesStream,
  chat: chatStream,
};

function responsesStream(reply: Reply, size = 4): readonly ServerEvent[] {
  const items = responsesItems(reply);
  const pieces = (type: string, text: string, rest: object) =>
    cut(text, size).map((delta) => Object.assign({ type, delta }, rest));
  const stop = reply.stop ?? 'end';
  const status = stop === 'end' ? 'completed' : 'incomplete';
  const reason = { length: 'max_output_tokens', filter: 'content_filter', end: '' }[stop];
  return [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      ...(item.type === 'message'
        ? pieces('response.output_text.delta', reply.text ?? '', { item_id: item.id, content_index: 0 })
        : []),
      ...(item.type === 'reasoning'
        ? pieces('response.reasoning_summary_text.delta', reply.reasoning ?? '', { item_id: item.id, summary_index: 0 })
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    {
      type: `response.${status}`,
      response: {
        id: 'resp_1',
        status,
        output: items,
        ...(stop !== 'end' && { incomplete_details: { reason } }),
        usage: {
          input_tokens: TOKENS.input,
          input_tokens_details: { cached_tokens: TOKENS.cached },
          output_tokens: TOKENS.output,
          output_tokens_details: { reasoning_tokens: TOKENS.reasoning },
        },
      },
    },
  ].map((event) => ({ name: event.type, data: JSON.stringify(event) }));
}

export function responsesItems({ reasoning, text, calls = [] }: Reply) {
  return [
    ...(reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: 'secret',
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map((call) => ({
      type: 'function_call',
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ];
}

function chatStream(reply: Reply, size = 4): readonly ServerEvent[] {
  const reasons = { end: reply.calls?.length ? 'tool_calls' : 'stop', length: 'length', filter: 'content_filter' };
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...cut(reply.reasoning ?? '', size).map((reasoning_content) => chatChunk({ reasoning_content })),
    ...cut(reply.text ?? '', size).map((content) => chatChunk({ content })),
    ...(reply.calls ?? []).flatMap((call, index) => chatCall(call, index, size)),
    chatChunk({}, reasons[reply.stop ?? 'end']),
    chatEvent({ id: 'chatcmpl-1', choices: [], usage: chatUsage() }),
    { data: '[DONE]' },
  ];
}

function chatCall({ id, name, arguments: given }: SpelledCall, index: number, size: number): readonly ServerEvent[] {
  const begin = { index, id, type: 'function', function: { name, arguments: '' } };
  const rest = cut(given, size).map((piece) => ({ index, function: { arguments: piece } }));
  return [begin, ...rest].map((piece) => chatChunk({ tool_calls: [piece] }));
}

export function chatUsage() {
  return {
    prompt_tokens: TOKENS.input,
    prompt_tokens_details: { cached_tokens: TOKENS.cached },
    completion_tokens: TOKENS.output,
    completion_tokens_details: { reasoning_tokens: TOKENS.reasoning },
  };
}

export function chatChunk(delta: object, finish_reason: string | null = null): ServerEvent {
  return chatEvent({ id: 'chatcmpl-1', choices: [{ index: 0, delta, finish_reason }], usage: null });
}

export function chatEvent(value: unknown): ServerEvent {
  return { data: JSON.stringify(value) };
}

function cut(text: string, size: number): readonly string[] {
  const points = Array.from(text);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size).join(''),
  );
}

export type Listening = { readonly dialect?: Partial<Dialect>; readonly toolNames?: readonly string[] };

/** All that a stream says, to its end; or the failure it ends with, after what came before. */
export type Heard = { readonly events: readonly ModelEvent[]; readonly failure?: ModelError };

export function listen(wire: Wire, stream: readonly ServerEvent[], { dialect, toolNames = [] }: Listening = {}): Heard {
  const protocol = PROTOCOLS[wire];
  const events: ModelEvent[] = [];
  try {
    let state = protocol.start({ ...PLAIN_DIALECT, ...dialect }, toolNames);
    for (const event of stream) {
      const step = protocol.step(state, event);
      state = step.state;
      events.push(...step.events);
    }
    events.push(...protocol.end(state));
    return { events };
  } catch (error) {
    if (error instanceof ModelError) return { events, failure: error };
    throw error;
  }
}

/** Without deltas, and without what items were on the wire. */
export function gist({ events }: Heard): readonly unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.kind === 'item') return [bare(event.item)];
    return event.kind === 'completed' ? [event] : [];
  });
}

export function bare({ raw: _raw, ...item }: ReplyItem): object {
  return item;
}

export function itemsIn({ events }: Heard): readonly ReplyItem[] {
  return events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
}

export function deltasIn({ events }: Heard, kind: 'text-delta' | 'reasoning-delta'): string {
  return events.map((event) => (event.kind === kind ? event.text : '')).join('');
}

/** A call as it is read. */
export function functionCall({ id, name, arguments: given }: SpelledCall): object {
  return { kind: 'call', call: { id, name, payload: { kind: 'function', arguments: given } } };
}
