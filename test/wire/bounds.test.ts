/** What no server sends that means well: it is refused or passed over before it costs anything. */
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { ModelEvent, Wire } from '../../src/core/model.js';
import { PLAIN_DIALECT } from '../../src/core/provider.js';
import type { Protocol } from '../../src/wire/protocol.js';
import { PROTOCOLS } from './spelled-streams.js';

type ServerEvent = Parameters<Protocol<unknown>['step']>[1];

const TOO_MANY = /more than 2000 calls or items in one response/;

/** A stream up to its end. */
function read(wire: Wire, stream: readonly ServerEvent[], textToolCalls = false): readonly ModelEvent[] {
  const protocol = PROTOCOLS[wire];
  let state = protocol.start({ ...PLAIN_DIALECT, textToolCalls }, ['look']);
  const events = stream.flatMap((event) => {
    const step = protocol.step(state, event);
    state = step.state;
    return step.events;
  });
  return [...events, ...protocol.end(state)];
}

function eventOf(value: object): ServerEvent {
  return { data: JSON.stringify(value) };
}

const NUMBERS = Array.from({ length: 2_001 }, (_, number) => number);

const CALLS: Readonly<Record<Wire, (number: number) => ServerEvent>> = {
  responses: (number) =>
    eventOf({
      type: 'response.output_item.done',
      item: { type: 'function_call', call_id: `c${number}`, name: 'look', arguments: '{}' },
    }),
  chat: (index) =>
    eventOf({ choices: [{ delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'look' } }] } }] }),
};

const SAYING: Readonly<Record<Wire, (text: string) => readonly ServerEvent[]>> = {
  responses: (text) => [
    eventOf({
      type: 'response.completed',
      response: { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text }] }] },
    }),
  ],
  chat: (content) => [eventOf({ choices: [{ delta: { content }, finish_reason: 'stop' }] })],
};

describe.each(WIRES)('over %s', (wire) => {
  test('calls without end are no response', () => {
    expect(() => read(wire, NUMBERS.map(CALLS[wire]))).toThrow(TOO_MANY);
  });

  test('nor are such calls in a text', () => {
    const text = '<tool_call>{"name":"look"}</tool_call>'.repeat(NUMBERS.length);
    expect(() => read(wire, SAYING[wire](text), true)).toThrow(TOO_MANY);
  });

  test('what is nested without end is a hole, because it could not be sent back', () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const deep = {
      responses: `{"type":"response.output_item.done","item":{"type":"reasoning","more":${nested}}}`,
      chat: `{"choices":[{"delta":{"content":"never","more":${nested}}}]}`,
    };
    const end = {
      responses: eventOf({ type: 'response.completed', response: { status: 'completed' } }),
      chat: eventOf({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
    };
    expect(() => read(wire, [{ data: deep[wire] }, end[wire]])).toThrow(/the response has a hole/);
  });

  test('a call in a text with arguments that are nested without end stays text', () => {
    const text = `<tool_call>{"name":"look","arguments":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}</tool_call>`;
    const events = read(wire, SAYING[wire](text), true);
    const items = events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
    expect(items).toMatchObject([{ kind: 'message', text }]);
  });
});
