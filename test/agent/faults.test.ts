/** What may go wrong between us and a model, over both wires. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import { textOutput } from '../../src/index.js';
import type { ScriptedFault } from '../../src/testing/index.js';
import { agentOver, answersIn, modelAt, saidIn } from '../support/agent.js';
import { actingTool, echo } from '../support/runtime.js';

/** Those after which the same request is sent again and answered. */
const PASSING: readonly (readonly [name: string, fault: ScriptedFault, kind: string, words: RegExp])[] = [
  ['429', { kind: 'status', status: 429, retryAfter: 0 }, 'rate-limit', /429/],
  [
    '500',
    { kind: 'status', status: 500, body: { error: { message: 'the hamster died' } } },
    'server',
    /the hamster died/,
  ],
  ['503', { kind: 'status', status: 503, retryAfter: 0, body: 'overloaded' }, 'server', /overloaded/],
  ['a failed response', { kind: 'failed', code: 'server_error', message: 'oh dear' }, 'server', /oh dear/],
  ['an error event', { kind: 'errorEvent', code: 'server_error', message: 'oh no' }, 'server', /oh no/],
  ['a dropped connection', { kind: 'drop' }, 'closed', /./],
  ['an early end', { kind: 'eof' }, 'closed', /./],
  ['silence', { kind: 'stall' }, 'stalled', /silent|0\.05|no(thing)? /],
  ['noise', { kind: 'garbage' }, 'garbled', /./],
  ['a page', { kind: 'html' }, 'garbled', /./],
  ['a reset', { kind: 'reset' }, 'closed', /./],
];

describe.each(WIRES)('over %s', (wire) => {
  test.each(PASSING)('%s passes', async (_, fault, kind, words) => {
    const { send, server, runtime } = await agentOver(wire, [{ text: 'Hello, all is well now.', fault }], {
      provider: { stream_idle_timeout_ms: fault.kind === 'stall' ? 50 : 10_000 },
    });
    expect(await send('Hi')).toMatchObject({ status: 'completed', message: 'Hello, all is well now.', requests: 2 });
    const [retried] = runtime.record.of('request.retried');
    expect(retried).toMatchObject({ retry: 1, error: { kind } });
    expect(retried?.error.message).toMatch(words);
    const [first, second] = server.requests;
    expect(second?.bodyText).toBe(first?.bodyText);
    expect(runtime.record.of('message.completed')).toHaveLength(1);
  });

  test('malformed data in the stream harms nothing', async () => {
    const calls = [{ name: 'echo', arguments: { text: 'all of it' }, callId: 'one' }];
    // Over Chat Completions a piece of the arguments is missing, so it is asked for again.
    const fault = { kind: 'malformed', endsTurn: wire === 'responses' } as const;
    const { send, server, runtime } = await agentOver(wire, [{ calls, fault }, { text: 'Done.' }], { tools: [echo] });
    expect(await send('Hi')).toMatchObject({ status: 'completed', message: 'Done.' });
    const last = server.requests.at(-1);
    expect(last && answersIn(last)).toEqual([['one', 'all of it']]);
    const retried = runtime.record.of('request.retried').map(({ error }) => error.kind);
    expect(retried).toEqual(wire === 'chat' ? ['garbled'] : []);
  });

  test.each([['a server that says only at the end what was said', { kind: 'noDoneItems' }]] as const)(
    '%s harms nothing',
    async (_, fault) => {
      const { send } = await agentOver(
        wire,
        [{ calls: [{ name: 'echo', arguments: { text: 'x' } }], fault }, { text: 'Done.' }],
        {
          tools: [echo],
        },
      );
      expect(await send('Hi')).toMatchObject({ status: 'completed', message: 'Done.', requests: 2 });
    },
  );

  test.each([400, 401, 403, 404, 413, 422])(
    'status %s is for the user, at once and in the words of the server',
    async (status) => {
      const body = { error: { message: 'read the manual' } };
      const { send } = await agentOver(wire, [{ fault: { kind: 'status', status, body } }]);
      const result = await send('Hi');
      expect(result).toMatchObject({ status: 'failed', error: { kind: 'refused', status }, requests: 1 });
      expect(result.error?.message).toContain('read the manual');
    },
  );

  test('a bill that was not paid is for the user, at once', async () => {
    const body = { error: { code: 'insufficient_quota', message: 'You have no money left.' } };
    const { send } = await agentOver(wire, [{ fault: { kind: 'status', status: 429, body } }]);
    expect(await send('Hi')).toMatchObject({ status: 'failed', error: { kind: 'quota' }, requests: 1 });
  });

  test('a server that never recovers is left in peace after a while, with its last words', async () => {
    const fault = { kind: 'status', status: 500, body: { error: { message: 'still dead' } }, times: 99 } as const;
    const { send, runtime } = await agentOver(wire, [{ fault }], { provider: { request_max_retries: 2 } });
    const result = await send('Hi');
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'server', status: 500 }, requests: 3 });
    expect(result.error?.message).toMatch(/still dead.*\(tried 3 times\)/s);
    expect(runtime.record.of('request.retried').map(({ retry, most }) => [retry, most])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test('a server that is not there is told by its address', async () => {
    const port = await unusedPort();
    const { send, change } = await agentOver(wire, []);
    change({
      model: modelAt({ baseUrl: `http://127.0.0.1:${port}/v1` }, wire, { provider: { request_max_retries: 1 } }),
    });
    const result = await send('Hi');
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'unreachable' } });
    expect(result.error?.message).toContain(`http://127.0.0.1:${port}`);
  });

  test('a history that is too long is told shorter, and the turn goes on', async () => {
    const calls = [{ name: 'echo', arguments: { text: 'a long story' } }];
    const script = [
      { calls },
      { text: 'Read all of it.' },
      { text: 'NOTES: read a long story', fault: { kind: 'contextOverflow' } },
      { text: 'As I said.' },
    ] as const;
    const { send, server, runtime } = await agentOver(wire, script, { tools: [echo] });
    await send('Read it');
    expect(await send('What was it?')).toMatchObject({ status: 'completed', message: 'As I said.' });
    expect(runtime.record.of('history.compacted').map(({ reason }) => reason)).toEqual(['overflow']);
    const summarising = await server.request(3);
    expect(summarising.body['tools']).toEqual((await server.request(2)).body['tools']);
    expect(summarising.body['tool_choice']).toBe('none');
    const after = (await server.request(4)).bodyText;
    expect(after).toContain('NOTES: read a long story');
    expect([after.includes('Read it'), after.includes('What was it?'), after.includes('Read all of it.')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('a history that nears the window is told shorter before it overflows', async () => {
    const script = [{ text: 'Yes.', usage: { input: 950, output: 10 } }, { text: 'NOTES' }, { text: 'Still yes.' }];
    const { send, runtime } = await agentOver(wire, script, { contextWindow: 1000 });
    await send('Is it?');
    expect((await send('Really?')).message).toBe('Still yes.');
    expect(runtime.record.of('history.compacted')).toMatchObject([
      { reason: 'near-limit', tokensBefore: expect.any(Number) },
    ]);
  });

  test('what the answer has to look like is still said when the history was told shorter', async () => {
    const schema = { type: 'object', properties: { zebra: { type: 'string' } }, additionalProperties: false };
    const { send, server, runtime } = await agentOver(
      wire,
      [{ calls: [{ name: 'echo', arguments: { text: 'long '.repeat(2000) } }] }, { text: 'Notes.' }, { text: '{}' }],
      { tools: [echo], contextWindow: 2000, provider: { strict_schemas: false } },
    );
    await send('Go', { outputSchema: { name: 'stripes', schema, strict: true } });
    expect(runtime.record.of('history.compacted')).toHaveLength(1);
    expect(server.requests.map(({ bodyText }) => bodyText.includes('zebra'))).toEqual([true, true, true]);
  });

  test('a history that cannot become shorter is not told shorter again and again', async () => {
    const script = () => ({ text: 'Yes.', usage: { input: 990, output: 5 } });
    const { send, runtime } = await agentOver(wire, script, { contextWindow: 1000 });
    for (const question of ['One?', 'Two?', 'Three?', 'Four?']) await send(question);
    expect(runtime.record.of('history.compacted')).toHaveLength(1);
    expect(runtime.record.of('message.completed')).toHaveLength(4);
  });

  test('a first message that is too long fails in the words of the server, at once', async () => {
    const script = () => ({ fault: { kind: 'contextOverflow' } }) as const;
    const { send } = await agentOver(wire, script);
    expect(await send('Hi')).toMatchObject({ status: 'failed', error: { kind: 'overflow' }, requests: 1 });
  });

  test('a history that stays too long fails in the words of the server', async () => {
    const overflow = { kind: 'contextOverflow' } as const;
    const turns = [{ text: 'Yes.' }, { fault: overflow }, { text: 'NOTES' }, { fault: overflow }];
    const { send } = await agentOver(wire, (_, at) => turns[at] ?? {});
    await send('One?');
    expect(await send('Two?')).toMatchObject({ status: 'failed', error: { kind: 'overflow' }, requests: 3 });
  });

  test('what the user said last stays whole, however long it is', async () => {
    const long = `${'word '.repeat(30_000)}and the end`;
    const script = [{ text: 'Yes.', usage: { input: 950, output: 10 } }, { text: 'NOTES' }, { text: 'Done.' }];
    const { send, server } = await agentOver(wire, script, { contextWindow: 1000 });
    await send('Is it?');
    await send(long);
    expect(saidIn(await server.request(2))).toEqual([
      'user: Is it?',
      `user: ${long}`,
      expect.stringContaining('NOTES'),
    ]);
  });

  test('an image counts as what it costs a model, not as its bytes', async () => {
    const image = { kind: 'image', mediaType: 'image/png', base64: 'A'.repeat(400_000) } as const;
    const look = actingTool('look', async () => ({ content: [image] }));
    const script = [{ calls: [{ name: 'look', arguments: {} }] }, { text: 'A cat.' }];
    const { send, runtime } = await agentOver(wire, script, { tools: [look], contextWindow: 10_000 });
    expect(await send('What is it?')).toMatchObject({ message: 'A cat.', requests: 2 });
    expect(runtime.record.of('history.compacted')).toEqual([]);
  });

  test('limits hold for what is tried again, and for telling the history shorter', async () => {
    const dead = { fault: { kind: 'status', status: 500, times: 99 } } as const;
    const retried = await agentOver(wire, [dead], { session: { limits: { requests: 2 } } });
    expect(await retried.send('Hi')).toMatchObject({ status: 'stopped', error: { kind: 'limit' }, requests: 2 });
    const long = [{ text: 'Yes.', usage: { input: 950, output: 10 } }, { text: 'NOTES' }, { text: 'Never.' }];
    const compacted = await agentOver(wire, long, { contextWindow: 1000, session: { limits: { requests: 1 } } });
    await compacted.send('Is it?');
    expect(await compacted.send('Really?')).toMatchObject({ status: 'stopped', requests: 1 });
    expect(compacted.server.requests).toHaveLength(2);
  });

  test('limits hold for a server that breaks each response after a call', async () => {
    let calls = 0;
    const script = () => ({
      calls: [1, 2].map(() => ({ name: 'echo', arguments: { text: `${(calls += 1)}` } })),
      fault: { kind: 'drop', afterItems: wire === 'chat' ? 2 : 1 } as const,
    });
    const { send, server } = await agentOver(wire, script, { tools: [echo], session: { limits: { requests: 4 } } });
    expect(await send('Go')).toMatchObject({ status: 'stopped', error: { kind: 'limit' }, requests: 4 });
    expect(server.requests).toHaveLength(4);
  });

  test('a call that ran before the stream broke is not run again, even if the model repeats itself', async () => {
    let runs = 0;
    const count = actingTool('count', async () => textOutput(`run ${(runs += 1)}`));
    const calls = [
      { name: 'count', arguments: {} },
      { name: 'echo', arguments: { text: 'after' } },
    ];
    // Over Chat Completions a call is known to be complete when the next one begins.
    const fault = { kind: 'drop', afterItems: wire === 'chat' ? 3 : 2 } as const;
    const { send, server, runtime } = await agentOver(wire, [{ text: 'I count.', calls, fault }, { text: 'Done.' }], {
      tools: [count, echo],
    });
    expect(await send('Go')).toMatchObject({ status: 'completed', message: 'Done.' });
    expect(runs).toBe(1);
    expect(answersIn(await server.request(1)).map(([, text]) => text)).toEqual(['run 1']);
    expect(answersIn(await server.request(2)).map(([, text]) => text)).toEqual(['run 1', 'run 1', 'after']);
    expect(runtime.record.of('call.reused')).toHaveLength(1);
  });
});

describe.each(WIRES)('interrupted over %s', (wire) => {
  const interrupted = { status: 'interrupted' };

  test('while it connects', async () => {
    const controller = new AbortController();
    const { send, server } = await agentOver(wire, [{ text: 'Late.', hold: new Promise(() => {}) }, { text: 'Back.' }]);
    const turn = send('Go', { signal: controller.signal });
    await server.request(0);
    controller.abort();
    expect(await turn).toMatchObject(interrupted);
    await server.idle();
    expect((await send('Again')).message).toBe('Back.');
  });

  test('while the model speaks', async () => {
    const controller = new AbortController();
    const hold = { hold: new Promise(() => {}), holdAt: { afterEvents: 6 } };
    const { send, runtime } = await agentOver(wire, [{ text: 'A very long answer indeed.', ...hold }]);
    runtime.on(({ type }) => type === 'message.delta' && controller.abort());
    expect(await send('Go', { signal: controller.signal })).toMatchObject(interrupted);
    expect(runtime.record.of('deltas.discarded')).toHaveLength(1);
  });

  test('while a tool runs, which is told as aborted', async () => {
    const controller = new AbortController();
    const hang = actingTool('hang', (_, { signal }) => {
      const stopped = new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
      );
      controller.abort();
      return stopped;
    });
    const { send, server } = await agentOver(
      wire,
      [{ calls: [{ name: 'hang', arguments: {}, callId: 'one' }] }, { text: 'Back.' }],
      {
        tools: [hang],
      },
    );
    expect(await send('Go', { signal: controller.signal })).toMatchObject(interrupted);
    await send('Again');
    expect(answersIn(await server.request(1))).toEqual([['one', expect.stringMatching(/^aborted/)]]);
  });

  test('while it waits to try again', async () => {
    const controller = new AbortController();
    const fault = { kind: 'status', status: 429, retryAfter: 300 } as const;
    const { send, runtime } = await agentOver(wire, [{ text: 'Late.', fault }]);
    runtime.on(({ type }) => type === 'request.retried' && controller.abort());
    expect(await send('Go', { signal: controller.signal })).toMatchObject({ ...interrupted, requests: 1 });
  });

  test('before it begins', async () => {
    const { send, server } = await agentOver(wire, [{ text: 'Never.' }]);
    expect(await send('Go', { signal: AbortSignal.abort() })).toMatchObject(interrupted);
    expect(server.requests).toEqual([]);
  });

  test('while the history is told shorter', async () => {
    const controller = new AbortController();
    const script = [
      { text: 'Yes.', usage: { input: 950, output: 10 } },
      { text: 'NOTES', hold: new Promise(() => {}) },
      { text: 'Back.' },
    ];
    const { send, server } = await agentOver(wire, script, { contextWindow: 1000 });
    await send('Is it?');
    const turn = send('Really?', { signal: controller.signal });
    await server.request(1);
    controller.abort();
    expect(await turn).toMatchObject(interrupted);
  });
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
