/** What holds for every stream, whatever a server sends. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { ReplyItem } from '../../src/core/model.js';
import { FULL_DIALECT, PLAIN_DIALECT } from '../../src/core/provider.js';
import type { ServerEvent } from '../../src/core/server-event.js';
import { propertyRuns } from '../support/property-runs.js';
import { PROTOCOLS, SPELLINGS, bare, chatChunk, deltasIn, gist, itemsIn, listen } from './spelled-streams.js';
import type { Reply, SpelledCall } from './spelled-streams.js';

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const calls: fc.Arbitrary<readonly SpelledCall[]> = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[a-z]{6}$/),
    name: fc.stringMatching(/^[a-z_]{1,12}$/),
    arguments: fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
      fc.string(),
    ),
  }),
  { selector: ({ id }) => id, maxLength: 4 },
);
const reply: fc.Arbitrary<Reply> = fc.record(
  { reasoning: words, text: words, calls, stop: fc.constant('end' as const) },
  { requiredKeys: [] },
);
const size = fc.integer({ min: 1, max: 40 });

/** Anything, often under names that mean something. */
const known = fc.constantFrom(
  ...`type delta item response output status error message code id call_id name role arguments input action command content
  text summary choices index tool_calls function function_call custom finish_reason usage reasoning reasoning_content
  reasoning_details __proto__`.split(/\s+/),
);
const telling = fc.constantFrom(
  '',
  ...`message reasoning function_call custom_tool_call local_shell_call web_search_call custom response.completed
  response.incomplete response.failed response.output_item.done error stop length response.output_text.delta
  response.reasoning_text.delta assistant tool_calls incomplete {}`.split(/\s+/),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.oneof(telling, fc.jsonValue({ maxDepth: 1 })),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(known, fc.string()), tie('value')), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));
const junk: fc.Arbitrary<ServerEvent> = fc.record(
  {
    name: fc.oneof(telling, fc.string()),
    data: fc.oneof(
      anything.map((value) => JSON.stringify(value)),
      anything.map((item) => JSON.stringify({ type: 'response.output_item.done', item })),
      anything.map((output) => JSON.stringify({ type: 'response.completed', response: { output: [output] } })),
      anything.map((delta) => JSON.stringify({ choices: [{ delta }] })),
      anything.map((call) => JSON.stringify({ choices: [{ delta: { tool_calls: [call, call] } }] })),
      fc.string(),
      fc.constant('[DONE]'),
    ),
  },
  { requiredKeys: ['data'] },
);

describe.each(WIRES)('on the %s wire', (wire) => {
  const protocol = PROTOCOLS[wire];
  const marked = { dialect: { textToolCalls: true }, toolNames: ['message', 'stop'] };

  test('it does not matter in which pieces a reply comes', () => {
    fc.assert(
      fc.property(reply, size, size, (said, one, other) => {
        expect(gist(listen(wire, SPELLINGS[wire](said, one)))).toEqual(
          gist(listen(wire, SPELLINGS[wire](said, other))),
        );
      }),
      propertyRuns(60),
    );
  });

  test('deltas add up to what is said and thought', () => {
    fc.assert(
      fc.property(reply, size, (said, pieces) => {
        const heard = listen(wire, SPELLINGS[wire](said, pieces));
        const textOf = (kind: ReplyItem['kind']) =>
          itemsIn(heard)
            .map((item) => (item.kind === kind && 'text' in item ? item.text : ''))
            .join('');
        expect(deltasIn(heard, 'text-delta')).toBe(textOf('message'));
        expect(deltasIn(heard, 'reasoning-delta')).toBe(textOf('reasoning'));
        expect([textOf('reasoning'), textOf('message')]).toEqual([said.reasoning ?? '', said.text ?? '']);
      }),
      propertyRuns(60),
    );
  });

  test('a stream that is cut anywhere has the first of its items, and is closed unless it was complete', () => {
    fc.assert(
      fc.property(reply, size, fc.nat(200), (said, pieces, cut) => {
        const stream = SPELLINGS[wire](said, pieces);
        const whole = itemsIn(listen(wire, stream)).map(bare);
        const heard = listen(wire, stream.slice(0, cut));
        const items = itemsIn(heard).map(bare);
        expect(items).toEqual(whole.slice(0, items.length));
        if (heard.failure === undefined) expect(items).toEqual(whole);
        else expect(heard.failure.kind).toBe(cut === 0 ? 'garbled' : 'closed');
      }),
      propertyRuns(100),
    );
  });

  test('junk between the events of a stream of which it is no part changes nothing', () => {
    const noise = fc.oneof(
      fc.string().map((data) => ({ data: `~${data.replaceAll(/[{}"]/g, '')}` })),
      fc.constant({ data: '7' }),
    );
    fc.assert(
      fc.property(reply, fc.array(noise, { minLength: 1 }), (said, between) => {
        const stream = SPELLINGS[wire](said);
        expect(
          listen(
            wire,
            stream.flatMap((event) => [...between, event]),
          ),
        ).toEqual(listen(wire, stream));
      }),
      propertyRuns(60),
    );
  });

  test('wherever a stream is damaged, it is as if it were not, or ends with what was whole before', () => {
    fc.assert(
      fc.property(reply, size, fc.nat(200), fc.nat(400), (said, pieces, place, cut) => {
        const stream = SPELLINGS[wire](said, pieces);
        const at = place % stream.length;
        const { name, data } = stream[at] ?? { data: '' };
        const torn = { ...(name !== undefined && { name }), data: data.slice(0, 1 + (cut % (data.length - 1))) };
        const heard = listen(wire, stream.with(at, torn));
        const whole = gist(listen(wire, stream));
        const told = gist(heard);
        // What was lost and is listed at the end comes later than it did.
        if (heard.failure === undefined) expect(sorted(told)).toEqual(sorted(whole));
        else expect(told).toEqual(whole.slice(0, told.length));
      }),
      propertyRuns(200),
    );
  });

  test('whatever comes is read or refused, what was read can be sent back, and reading changes nothing read before', () => {
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 12 }), fc.boolean(), (events, isMarked) => {
        // Anything but a `ModelError` fails the test.
        const heard = listen(wire, events, isMarked ? marked : {});
        const frozen = JSON.stringify(heard);
        expect(JSON.stringify(listen(wire, events, isMarked ? marked : {}))).toBe(frozen);
        const entry = { kind: 'reply', wire, items: itemsIn(heard) } as const;
        for (const other of WIRES) JSON.parse(`[${PROTOCOLS[other].encode(entry, FULL_DIALECT)}]`);
      }),
      propertyRuns(200),
    );
  });

  test('one state can be gone on from twice', () => {
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 8 }), reply, (events, said) => {
        const stream = [...SPELLINGS[wire](said), ...events];
        let state = protocol.start(PLAIN_DIALECT, []);
        try {
          for (const event of stream) {
            const step = protocol.step(state, event);
            expect(JSON.stringify(protocol.step(state, event))).toBe(JSON.stringify(step));
            state = step.state;
          }
        } catch {
          // What ends it is no matter here.
        }
      }),
      propertyRuns(50),
    );
  });

  test('any response in one piece is read or refused', () => {
    const body = fc.oneof(
      anything,
      anything.map((output) => ({ output: [output] })),
      anything.map((message) => ({ choices: [{ message }] })),
    );
    fc.assert(
      fc.property(body, (value) => {
        try {
          protocol.whole(Object(value) as Record<string, unknown>, PLAIN_DIALECT, []);
        } catch (error) {
          expect(error).toHaveProperty('name', 'ModelError');
        }
      }),
      propertyRuns(100),
    );
  });
});

/** Without usage, which the damaged piece may have told. */
function sorted(told: readonly unknown[]): readonly string[] {
  return told
    .map((each) => JSON.stringify(each, (key, value: unknown) => (key === 'usage' ? undefined : value)))
    .toSorted();
}

describe('what a model sent goes back byte for byte', () => {
  const fields = fc.dictionary(fc.stringMatching(/^[a-z_]{3,9}$/), fc.jsonValue(), { maxKeys: 5 });

  test('on the Responses wire, as items', () => {
    const kinds = fc.constantFrom(
      'message',
      'reasoning',
      'function_call',
      'custom_tool_call',
      'web_search_call',
      'new_kind',
    );
    const item = fc
      .tuple(kinds, fields, fc.nat())
      .map(([type, rest, at]) => Object.assign({}, rest, { type, call_id: `c${at}`, name: 'n', status: 'done' }));
    fc.assert(
      fc.property(fc.uniqueArray(item, { selector: (each) => each.call_id }), (raws) => {
        const events = raws.map((raw) => ({ data: JSON.stringify({ type: 'response.output_item.done', item: raw }) }));
        const items = itemsIn(
          listen('responses', [...events, { data: '{"type":"response.completed","response":{}}' }]),
        );
        expect(PROTOCOLS.responses.encode({ kind: 'reply', wire: 'responses', items }, FULL_DIALECT)).toBe(
          raws.map((raw) => JSON.stringify(raw)).join(','),
        );
      }),
      propertyRuns(60),
    );
  });

  test('on the Chat wire, as the calls of a message and its own fields', () => {
    const own = fields.map((each) =>
      Object.fromEntries(
        Object.entries(each).filter(([key, value]) => value !== null && !['content', 'refusal', 'role'].includes(key)),
      ),
    );
    fc.assert(
      fc.property(own, own, calls, (beside, inCall, made) => {
        const tool_calls = made.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: given },
          x_rest: inCall,
        }));
        const delta = {
          content: 'a',
          x_fields: beside,
          tool_calls: tool_calls.map((call, index) => Object.assign({ index }, call)),
        };
        const items = itemsIn(listen('chat', [chatChunk(delta, 'stop')]));
        const sent = PROTOCOLS.chat.encode({ kind: 'reply', wire: 'chat', items }, FULL_DIALECT);
        expect(sent).toBe(
          JSON.stringify({ role: 'assistant', content: 'a', x_fields: beside, ...(made.length > 0 && { tool_calls }) }),
        );
      }),
      propertyRuns(60),
    );
  });
});
