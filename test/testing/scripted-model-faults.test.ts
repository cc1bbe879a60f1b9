import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { Wire } from '../../src/core/model.js';
import type { ScriptedFault, ScriptedModel } from '../../src/testing/index.js';
import { scriptedModel } from '../support/model-server.js';
import { ask, eventsIn, open } from './model-client.js';
import type { Got } from './model-client.js';
import { saidInStream } from './said.js';

/** Whole, so that a fault is all that can be wrong. */
const TURN = { text: 'all is said', calls: [{ name: 'act', arguments: {} }], chunkSize: 3 } as const;
const LAST: Readonly<Record<Wire, RegExp>> = { responses: /response\.completed/, chat: /\[DONE\]/ };
const OVERFLOW = {
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

function withFault(fault: ScriptedFault): Promise<ScriptedModel> {
  return scriptedModel([{ ...TURN, fault }, { text: 'the next turn' }]);
}

/** What was said, and how it ended. */
function summary(wire: Wire, { status, text, ending }: Got): object {
  const { text: said } = saidInStream(wire, eventsIn(text));
  return { status, said, ending, complete: LAST[wire].test(text) };
}

const played = { status: 200, said: TURN.text, ending: 'end', complete: true };

describe.each(WIRES)('over %s', (wire) => {
  test('a status comes with its headers and its body', async () => {
    const model = await scriptedModel([
      { ...TURN, fault: { kind: 'status', status: 429, retryAfter: 2, body: { error: { message: 'slow down' } } } },
      { ...TURN, fault: { kind: 'status', status: 502, body: 'bad gateway' } },
      { ...TURN, fault: { kind: 'status', status: 500 } },
    ]);
    const limited = await ask(model, wire);
    expect([limited.status, limited.headers['retry-after'], limited.text]).toEqual([
      429,
      '2',
      '{"error":{"message":"slow down"}}',
    ]);
    expect(summary(wire, await ask(model, wire))).toEqual(played);
    const bad = await ask(model, wire);
    expect([bad.status, bad.headers['content-type'], bad.text]).toEqual([502, 'text/plain', 'bad gateway']);
    await ask(model, wire);
    const { status, text } = await ask(model, wire);
    const error = { message: 'scripted status 500', type: 'server_error', param: null, code: 'server_error' };
    expect([status, JSON.parse(text)]).toEqual([500, { error }]);
  });

  test('a context that is too long is refused', async () => {
    const model = await withFault({ kind: 'contextOverflow' });
    const { status, text } = await ask(model, wire);
    expect([status, JSON.parse(text)]).toEqual([400, { error: { ...OVERFLOW, type: OVERFLOW.code, param: null } }]);
    expect(summary(wire, await ask(model, wire))).toEqual(played);
  });

  test.each([
    ['drop', 'ECONNRESET'],
    ['eof', 'end'],
  ] as const)('%s ends a stream in the middle', async (kind, ending) => {
    const model = await withFault({ kind });
    const got = await ask(model, wire);
    expect([got.status, got.ending, LAST[wire].test(got.text)]).toEqual([200, ending, false]);
    expect(saidInStream(wire, eventsIn(got.text)).text).not.toBe('');
    expect(summary(wire, await ask(model, wire))).toEqual(played);
  });

  test.each(['drop', 'eof'] as const)('%s comes where it is told to', async (kind) => {
    const model = await scriptedModel([
      { ...TURN, fault: { kind, afterEvents: 0, endsTurn: true } },
      { ...TURN, fault: { kind, afterEvents: 3, endsTurn: true } },
      { ...TURN, fault: { kind, afterItems: 1, endsTurn: true } },
      { ...TURN, fault: { kind, afterEvents: 1_000, endsTurn: true } },
    ]);
    const none = await ask(model, wire);
    const three = await ask(model, wire);
    const item = await ask(model, wire);
    const most = await ask(model, wire);
    expect([none, three].map(({ text }) => eventsIn(text).length)).toEqual([0, 3]);
    expect(saidInStream(wire, eventsIn(item.text))).toEqual({ reasoning: '', text: TURN.text, calls: [] });
    const all = { reasoning: '', text: TURN.text, calls: [{ name: 'act', text: '{}' }] };
    expect(saidInStream(wire, eventsIn(most.text))).toEqual(all);
    expect(LAST[wire].test(most.text)).toBe(false);
  });

  test('a stalled stream is silent until the client leaves', async () => {
    const model = await withFault({ kind: 'stall', afterEvents: 1 });
    const { sent, response } = await open(model, wire);
    await new Promise((resolve) => response?.once('data', resolve));
    sent.destroy();
    await model.idle();
    expect(summary(wire, await ask(model, wire))).toEqual(played);
  });

  test('a stalled stream ends when the server is closed', async () => {
    const model = await withFault({ kind: 'stall' });
    const { response } = await open(model, wire);
    const ended = new Promise((resolve) => response?.once('error', resolve));
    response?.once('data', () => void model.close());
    expect(await ended).toMatchObject({ code: 'ECONNRESET' });
  });

  test('malformed data stands between what is well, and the turn is over', async () => {
    const model = await withFault({ kind: 'malformed', afterEvents: 2 });
    const got = await ask(model, wire);
    expect(eventsIn(got.text)[2]).toBe('{"this is": no JSON');
    const rest = eventsIn(got.text).filter((each) => each !== '{"this is": no JSON');
    expect(saidInStream(wire, rest).text).toBe(TURN.text);
    expect(LAST[wire].test(got.text)).toBe(true);
    expect(saidInStream(wire, eventsIn((await ask(model, wire)).text)).text).toBe('the next turn');
  });

  test('garbage says that it is a stream, and a page that it is one', async () => {
    const garbage = await withFault({ kind: 'garbage' });
    const page = await withFault({ kind: 'html' });
    const [noise, html] = [await ask(garbage, wire), await ask(page, wire)];
    expect([
      noise.status,
      noise.headers['content-type'],
      /data|event/.test(noise.text.replace('no events', '')),
    ]).toEqual([200, 'text/event-stream; charset=utf-8', false]);
    expect([html.status, html.headers['content-type'], html.text.startsWith('<!doctype html>')]).toEqual([
      200,
      'text/html',
      true,
    ]);
    expect(summary(wire, await ask(garbage, wire))).toEqual(played);
    expect(summary(wire, await ask(page, wire))).toEqual(played);
  });

  test('a reset comes before any header', async () => {
    const model = await withFault({ kind: 'reset' });
    expect(await ask(model, wire)).toEqual({ status: undefined, headers: {}, text: '', ending: 'ECONNRESET' });
    expect(summary(wire, await ask(model, wire))).toEqual(played);
  });

  test('a fault comes as often as it is told to', async () => {
    const model = await withFault({ kind: 'status', status: 503, times: 2 });
    const never = await withFault({ kind: 'status', status: 503, times: 0 });
    const statuses = async (each: ScriptedModel) => {
      const answers = [await ask(each, wire), await ask(each, wire), await ask(each, wire), await ask(each, wire)];
      return answers.map(({ status }) => status);
    };
    expect(await statuses(model)).toEqual([503, 503, 200, 200]);
    expect(await statuses(never)).toEqual([200, 200, 400, 400]);
  });

  test('a fault may be the end of its turn, or not', async () => {
    const over = await withFault({ kind: 'eof', endsTurn: true });
    const again = await withFault({ kind: 'incomplete', endsTurn: false });
    await ask(over, wire);
    await ask(again, wire);
    expect(saidInStream(wire, eventsIn((await ask(over, wire)).text)).text).toBe('the next turn');
    expect(summary(wire, await ask(again, wire))).toEqual(played);
  });

  test('a whole response can be cut, held back or made no JSON', async () => {
    const model = await scriptedModel([
      { ...TURN, fault: { kind: 'drop', endsTurn: true } },
      { ...TURN, fault: { kind: 'eof', endsTurn: true } },
      { ...TURN, fault: { kind: 'malformed' } },
      { ...TURN, fault: { kind: 'errorEvent', code: 'c', message: 'm', endsTurn: true } },
      { ...TURN, fault: { kind: 'stall' } },
    ]);
    const answers = [];
    for (let index = 0; index < 4; index += 1) answers.push(await ask(model, wire, {}));
    const read = ({ text }: Got) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return 'no JSON';
      }
    };
    const error = { message: 'm', type: 'c', param: null, code: 'c' };
    expect(answers.map((each) => [each.status, each.ending, read(each)])).toEqual([
      [200, 'ECONNRESET', 'no JSON'],
      [200, 'end', 'no JSON'],
      [200, 'end', 'no JSON'],
      [500, 'end', { error }],
    ]);
    const { sent, response } = await open(model, wire, {});
    await new Promise((resolve) => response?.once('data', resolve));
    sent.destroy();
    await model.idle();
  });
});

describe('over the Responses API', () => {
  const lastEvent = async (fault: ScriptedFault) => {
    const { text } = await ask(await withFault(fault), 'responses', { model: 'm', stream: true });
    const events = eventsIn(text) as readonly { type: string; response?: object }[];
    return { count: events.length, last: events.at(-1) };
  };
  const failed = (error: object) => {
    const response = { id: 'resp_1', object: 'response', created_at: 0, model: 'm', status: 'failed' };
    return { type: 'response.failed', response: { ...response, output: [], error, usage: null } };
  };

  test('a response fails before or after something was said', async () => {
    const error = { code: 'rate_limit_exceeded', message: 'try again in 1s' };
    expect(await lastEvent({ kind: 'failed', ...error })).toEqual({ count: 3, last: failed(error) });
    const usual = { code: 'server_error', message: 'The scripted model failed.' };
    expect(await lastEvent({ kind: 'failed', afterEvents: 4 })).toEqual({ count: 5, last: failed(usual) });
  });

  test('a context that is too long may fail the response', async () => {
    expect(await lastEvent({ kind: 'contextOverflow', inStream: true })).toEqual({ count: 3, last: failed(OVERFLOW) });
  });

  test('an error may be an event of its own', async () => {
    const model = await withFault({ kind: 'errorEvent', code: 'c', message: 'm' });
    const { text } = await ask(model, 'responses');
    expect(text.endsWith('event: error\ndata: {"type":"error","code":"c","message":"m","param":null}\n\n')).toBe(true);
    expect(eventsIn(text)).toHaveLength(3);
  });

  test.each([undefined, 'content_filter'])('an incomplete response says what was said, and why: %s', async (reason) => {
    const { last } = await lastEvent({ kind: 'incomplete', ...(reason !== undefined && { reason }) });
    const { type, response } = last as { type: string; response: { output: { status: string }[] } };
    expect(type).toBe('response.incomplete');
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: reason ?? 'max_output_tokens' },
    });
    expect(response.output.map(({ status }) => status)).toEqual(['completed', 'incomplete']);
  });

  test('without done items, only the last event has them', async () => {
    const model = await withFault({ kind: 'noDoneItems' });
    const { text } = await ask(model, 'responses');
    const last = eventsIn(text).at(-1) as { type: string; response: { output: readonly unknown[] } };
    expect(text.includes('output_item.done')).toBe(false);
    expect([last.type, last.response.output.length]).toEqual(['response.completed', 2]);
  });

  test('a whole response can fail and be incomplete', async () => {
    const model = await scriptedModel([
      { text: 'a', fault: { kind: 'failed', code: 'c', message: 'm', endsTurn: true } },
      { text: 'a', fault: { kind: 'incomplete' } },
      { text: 'a', fault: { kind: 'contextOverflow', inStream: true } },
    ]);
    const [first, second, third] = [
      await ask(model, 'responses', { model: 'm' }),
      await ask(model, 'responses', {}),
      await ask(model, 'responses', {}),
    ];
    expect(JSON.parse(first.text)).toEqual(failed({ code: 'c', message: 'm' }).response);
    expect(JSON.parse(second.text)).toMatchObject({ incomplete_details: { reason: 'max_output_tokens' } });
    expect(third.status).toBe(400);
  });
});

describe('over Chat Completions', () => {
  test('a stream fails with a chunk that is an error', async () => {
    const model = await scriptedModel([
      { ...TURN, fault: { kind: 'failed', code: 'c', message: 'm', endsTurn: true } },
      { ...TURN, fault: { kind: 'errorEvent', code: 'c', message: 'm', endsTurn: true } },
    ]);
    const data = 'data: {"error":{"code":"c","message":"m","type":"c"}}\n\n';
    const [failed, error] = [await ask(model, 'chat'), await ask(model, 'chat')];
    expect(failed.text.endsWith(`\n\n${data}`)).toBe(true);
    expect(error.text.endsWith(`\n\nevent: error\n${data}`)).toBe(true);
    expect([failed, error].map(({ text }) => eventsIn(text).length)).toEqual([2, 2]);
  });

  test('a whole response that fails is a status', async () => {
    const model = await withFault({ kind: 'failed', code: 'c', message: 'm' });
    const { status, text } = await ask(model, 'chat', {});
    const error = { message: 'm', type: 'c', param: null, code: 'c' };
    expect([status, JSON.parse(text)]).toEqual([500, { error }]);
  });

  test.each([
    [undefined, 'length'],
    ['content_filter', 'content_filter'],
  ])('a stream that is cut by %s finishes with %s', async (reason, finish) => {
    const model = await withFault({ kind: 'incomplete', ...(reason !== undefined && { reason }) });
    const { text } = await ask(model, 'chat');
    expect(finishReasons(text)).toEqual([finish]);
    expect(saidInStream('chat', eventsIn(text)).text).toBe(TURN.text);
  });

  test('without done items, nothing but the end says that it finished', async () => {
    const model = await withFault({ kind: 'noDoneItems' });
    const { text } = await ask(model, 'chat');
    expect([finishReasons(text), eventsIn(text).at(-1)]).toEqual([[], '[DONE]']);
  });
});

function finishReasons(text: string): readonly string[] {
  const chunks = eventsIn(text) as readonly { choices?: readonly { finish_reason: string | null }[] }[];
  return chunks.flatMap(({ choices = [] }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []));
}
