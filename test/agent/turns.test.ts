/** What a turn does, over both wires: one list of scenarios, real requests to a real server. */
import { object } from 'zod/mini';
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import { Fatal, defineTool, textOutput } from '../../src/index.js';
import type { ContextSnapshot, Tool } from '../../src/index.js';
import type { ScriptedTurn } from '../../src/testing/index.js';
import type { Agent } from '../support/agent.js';
import { agentOver, answersIn, modelAt, saidIn, sentIn } from '../support/agent.js';
import { scriptedModel } from '../support/model-server.js';
import { actingTool, echo, latch, shout } from '../support/runtime.js';

const say = (text: string, callId?: string) =>
  ({ name: 'echo', arguments: { text }, ...(callId !== undefined && { callId }) }) as const;

const failing = actingTool('fail', () => Promise.reject(new Error('no such luck')));

/** Everything before the history ends, which the next request has to begin with. */
const withoutEnd = (bodyText: string) => bodyText.replace(/\]\}$/, '');

describe.each(WIRES)('over %s', (wire) => {
  test('a model that has nothing to do but speak ends its turn', async () => {
    const { send, runtime, server } = await agentOver(wire, [
      { reasoning: 'A greeting.', text: 'Hello!', usage: { input: 40, output: 9, cached: 30, reasoning: 4 } },
    ]);
    const result = await send('Hi');
    const usage = {
      inputTokens: 40,
      cachedInputTokens: 30,
      cacheWriteInputTokens: 0,
      outputTokens: 9,
      reasoningOutputTokens: 4,
    };
    expect(result).toMatchObject({ status: 'completed', message: 'Hello!', usage, total: usage, requests: 1 });
    expect(saidIn(await server.request(0))).toEqual(['user: Hi']);
    const { record } = runtime;
    expect(
      record
        .of('message.delta')
        .map(({ text }) => text)
        .join(''),
    ).toBe('Hello!');
    expect(record.of('reasoning.completed').map(({ text }) => text)).toEqual(['A greeting.']);
    expect(record.events.map(({ type }) => type).filter((type) => !type.endsWith('.delta'))).toEqual([
      'turn.started',
      'request.started',
      'reasoning.completed',
      'message.completed',
      'usage.reported',
      'turn.finished',
    ]);
  });

  test('calls are answered in their order, whichever ends first', async () => {
    const second = latch();
    const slow = actingTool('slow', () => second.opened.then(() => textOutput('at last')), { concurrency: 'shared' });
    const quick = actingTool('quick', async () => (second.open(), textOutput('at once')), { concurrency: 'shared' });
    const { send, server } = await agentOver(
      wire,
      [
        {
          calls: [
            { name: 'slow', arguments: {}, callId: 'one' },
            { name: 'quick', arguments: {}, callId: 'two' },
          ],
        },
        { text: 'Done.' },
      ],
      { tools: [slow, quick] },
    );
    expect((await send('Go')).message).toBe('Done.');
    expect(answersIn(await server.request(1))).toEqual([
      ['one', 'at last'],
      ['two', 'at once'],
    ]);
  });

  test('a call starts when it is complete, not when the response is', async () => {
    const started = latch();
    const start = actingTool('start', async () => (started.open(), textOutput('started')));
    const calls = [{ name: 'start', arguments: {} }, say('later'), say('last')];
    const { send } = await agentOver(
      wire,
      [{ calls, hold: started.opened, holdAt: { afterItems: 2 } }, { text: 'Done.' }],
      { tools: [start, echo] },
    );
    // The rest of the response waits for the call.
    expect((await send('Go')).message).toBe('Done.');
  });

  test('a tool that takes free text gets it, whatever the wire makes of it', async () => {
    const { send, server } = await agentOver(
      wire,
      [{ calls: [{ custom: 'shout', input: 'hey', callId: 'one' }] }, { text: 'Done.' }],
      { tools: [shout] },
    );
    await send('Go');
    expect(answersIn(await server.request(1))).toEqual([['one', 'HEY']]);
  });

  test('a call that makes no sense is answered, and the turn goes on', async () => {
    const { send, server } = await agentOver(
      wire,
      [
        {
          calls: [
            { name: 'echo', arguments: '{"text": ', callId: 'one' },
            { name: 'ecko', arguments: {}, callId: 'two' },
          ],
        },
        { text: 'Sorry.' },
      ],
      { tools: [echo] },
    );
    expect(await send('Go')).toMatchObject({ status: 'completed', message: 'Sorry.' });
    const [first, second] = answersIn(await server.request(1));
    expect(first?.[1]).toMatch(/^failed to parse function arguments: /);
    expect(second?.[1]).toBe('unsupported call: ecko. Did you mean echo?');
  });

  test('an image in an answer reaches the model after all answers, or in its own', async () => {
    const png = { kind: 'image', mediaType: 'image/png', base64: 'aGVsbG8=' } as const;
    const look = actingTool('look', async () => ({ content: [{ kind: 'text', text: 'Here: ' }, png] }));
    const { send, server } = await agentOver(
      wire,
      [{ calls: [{ name: 'look', arguments: {} }, say('hi')] }, { text: 'Nice.' }],
      { tools: [look, echo] },
    );
    await send([png, { kind: 'text', text: 'Like this one?' }]);
    const sent = JSON.stringify(sentIn(await server.request(1)));
    expect(sent.match(/data:image\/png;base64,aGVsbG8=/g)).toHaveLength(2);
    const roles = sentIn(await server.request(1)).map(({ role, type }) => role ?? type);
    expect(roles).toEqual(
      wire === 'chat'
        ? ['user', 'assistant', 'tool', 'tool', 'user']
        : ['user', 'function_call', 'function_call', 'function_call_output', 'function_call_output'],
    );
  });

  test('each request extends the one before byte for byte, from turn to turn and with other rights', async () => {
    const turns: ScriptedTurn[] = [
      { reasoning: { summary: 'Hm.', encrypted: 'c2VjcmV0' }, text: 'Let me see.', calls: [say('ä'), say('b')] },
      { text: 'One.' },
      { calls: [say('c')] },
      { text: 'Two.' },
    ];
    const context = (sandboxMode: 'read-only' | 'workspace-write') => () => snapshot(sandboxMode);
    const agent = await agentOver(wire, turns, { tools: [echo], session: { context: context('read-only') } });
    await agent.send('First');
    agent.change({ context: context('workspace-write'), limits: { requests: 9 } });
    await agent.send('Second');
    const bodies = agent.server.requests.map(({ bodyText }) => bodyText);
    expect(bodies).toHaveLength(4);
    for (const [at, body] of bodies.slice(1).entries())
      expect(body.slice(0, withoutEnd(bodies[at] ?? '').length)).toBe(withoutEnd(bodies[at] ?? ''));
    const told = saidIn(await agent.server.request(2));
    expect(told.filter((each) => each.includes('<permissions instructions>'))).toHaveLength(2);
    expect(told.at(-1)).toBe('user: Second');
  });

  test('what the model sent goes back as it came', async () => {
    const { send, server } = await agentOver(
      wire,
      [
        {
          reasoning: { summary: 'Hm.', encrypted: 'c2VjcmV0' },
          text: 'I look.',
          phase: 'commentary',
          calls: [say('x', 'one')],
        },
        { text: 'Done.' },
      ],
      { tools: [echo] },
    );
    await send('Go');
    const [, ...reply] = sentIn(await server.request(1));
    if (wire === 'chat') {
      expect(reply[0]).toMatchObject({ role: 'assistant', content: 'I look.', reasoning_content: 'Hm.' });
    } else {
      expect(reply.slice(0, 3)).toMatchObject([
        { type: 'reasoning', encrypted_content: 'c2VjcmV0', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'message', role: 'assistant', phase: 'commentary' },
        { type: 'function_call', call_id: 'one' },
      ]);
      expect(reply.slice(0, 3).every(({ id }) => typeof id === 'string')).toBe(true);
    }
  });

  test('an answer that was cut off by its length is continued', async () => {
    const { send, server } = await agentOver(wire, [
      { text: 'Once upon', fault: { kind: 'incomplete' } },
      { text: ' a time.' },
    ]);
    expect(await send('Tell')).toMatchObject({ status: 'completed', message: 'Once upon a time.', requests: 2 });
    expect(saidIn(await server.request(1)).slice(0, 2)).toEqual(['user: Tell', 'assistant: Once upon']);
  });

  test('an answer that is cut off for ever fails', async () => {
    const { send } = await agentOver(wire, () => ({ text: 'and ', fault: { kind: 'incomplete' } }));
    expect(await send('Tell')).toMatchObject({ status: 'failed', error: { kind: 'length' }, requests: 9 });
  });

  test('what a filter stopped fails', async () => {
    const { send } = await agentOver(wire, [{ text: 'I', fault: { kind: 'incomplete', reason: 'content_filter' } }]);
    expect(await send('Tell')).toMatchObject({ status: 'failed', error: { kind: 'filter' }, requests: 1 });
  });

  test('the same failing call is noticed, the model is told, and then the turn is stopped', async () => {
    // Always under the same name, as servers do that count from one.
    const again = () => ({ calls: [{ name: 'fail', arguments: {}, callId: 'c' }] });
    const { send, runtime, server } = await agentOver(wire, again, { tools: [failing] });
    const result = await send('Go');
    expect(result).toMatchObject({ status: 'stopped', error: { kind: 'repetition' }, requests: 6 });
    const noticed = runtime.record.of('repetition.noticed');
    expect(noticed.map(({ times }) => times)).toEqual([3, 4, 5, 6]);
    expect(noticed.map(({ callId }) => callId)).toEqual(['c-3', 'c-4', 'c-5', 'c-6']);
    expect(answersIn(await server.request(3)).at(-1)?.[1]).toContain('This exact call has now failed 3 times.');
  });

  test('limits stop a turn', async () => {
    const forever = () => ({ calls: [say('on')], usage: { input: 100, output: 100 } });
    const limited = (limits: object) => agentOver(wire, forever, { tools: [echo], session: { limits } });
    const byRequests = await (await limited({ requests: 3 })).send('Go');
    expect(byRequests).toMatchObject({ status: 'stopped', error: { kind: 'limit' }, requests: 3 });
    const byTokens = await (await limited({ tokens: 350 })).send('Go');
    expect(byTokens).toMatchObject({ status: 'stopped', error: { kind: 'limit' }, requests: 2 });
    const hanging = actingTool(
      'echo',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    );
    const byTime = await agentOver(wire, forever, { tools: [hanging], session: { limits: { wallMs: 1 } } });
    expect(await byTime.send('Go')).toMatchObject({
      status: 'stopped',
      error: { message: 'the turn was stopped after 0.001 seconds, as limits.wall_seconds says' },
    });
  });

  test('what ends a turn for good ends it', async () => {
    const broken = actingTool('broken', () => Promise.reject(new Fatal('the disk is gone')));
    const { send } = await agentOver(wire, [{ calls: [{ name: 'broken', arguments: {} }] }], { tools: [broken] });
    expect(await send('Go')).toMatchObject({ status: 'failed', error: { kind: 'fatal', message: 'the disk is gone' } });
  });

  test('a schema for the answer is asked for, and only in its own turn', async () => {
    const { send, server } = await agentOver(wire, [{ text: '{"ok":true}' }, { text: 'Yes.' }]);
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    await send('Check', { outputSchema: { name: 'check', schema, strict: true } });
    await send('And?');
    const formats = server.requests.map(({ body }) =>
      wire === 'chat' ? body['response_format'] : (body['text'] as Record<string, unknown> | undefined)?.['format'],
    );
    const named = { name: 'check', schema, strict: true };
    expect(formats).toEqual([
      wire === 'chat' ? { type: 'json_schema', json_schema: named } : { type: 'json_schema', ...named },
      undefined,
    ]);
  });

  test('a server that takes no schema is told of it in words, after the user', async () => {
    const { send, server } = await agentOver(wire, [{ text: '{}' }], { provider: { strict_schemas: false } });
    await send('Check', { outputSchema: { name: 'check', schema: { type: 'object' }, strict: true } });
    const said = saidIn(await server.request(0));
    expect(said[0]).toBe('user: Check');
    expect(said[1]).toMatch(/^developer: .*"type": ?"object"/s);
    expect(said).toHaveLength(2);
  });

  test('what changes while a turn runs holds from the next one on, and harms no call', async () => {
    const look = actingTool('look', async () => {
      agent.change({ limits: { requests: 1 } });
      return textOutput('seen');
    });
    const agent: Agent = await agentOver(
      wire,
      [{ calls: [{ name: 'look', arguments: {}, callId: 'one' }] }, { text: 'Done.' }, { calls: [say('x')] }],
      { tools: [look, echo] },
    );
    expect((await agent.send('Go')).message).toBe('Done.');
    expect(answersIn(await agent.server.request(1))).toEqual([['one', 'seen']]);
    expect(await agent.send('Again')).toMatchObject({ status: 'stopped', requests: 1 });
  });

  test('only one turn runs at a time', async () => {
    const held = latch();
    const { send, server } = await agentOver(wire, [{ text: 'One.', hold: held.opened }]);
    const first = send('First');
    await server.request(0);
    await expect(send('Second')).rejects.toThrow('a turn of this session is running');
    held.open();
    expect((await first).message).toBe('One.');
  });

  test('an answer to "abort" ends the turn, and the history stays whole', async () => {
    const writing: Tool = defineTool({
      name: 'write',
      description: 'Writes.',
      input: object({}),
      intent: () => ({ effects: [{ kind: 'remote', server: 's', tool: 't', readOnly: false, destructive: true }] }),
      run: () => textOutput('written'),
    });
    const turns = [{ calls: [{ name: 'write', arguments: {}, callId: 'one' }, say('x', 'two')] }, { text: 'Fine.' }];
    const { send, server } = await agentOver(wire, turns, {
      tools: [writing, echo],
      runtime: { approver: async () => ({ kind: 'abort' }), approvalPolicy: 'always' },
    });
    expect(await send('Go')).toMatchObject({ status: 'interrupted' });
    expect((await send('Again')).message).toBe('Fine.');
    const answers = answersIn(await server.request(1));
    expect(answers.map(([id]) => id)).toEqual(['one', 'two']);
    expect(saidIn(await server.request(1)).at(-2)).toMatch(/^user: <turn_aborted>/);
  });
});

test('what nobody expected ends the turn, and is told', async () => {
  const agent = await agentOver('responses', []);
  const broken = (): never => {
    throw new TypeError('a fault of ours');
  };
  agent.change({ model: { ...agent.model, open: broken } });
  const error = { kind: 'fatal', message: 'a fault of ours' };
  expect(await agent.send('Go')).toMatchObject({ status: 'failed', error });
  expect(agent.runtime.record.of('turn.finished')).toMatchObject([{ status: 'failed', error }]);
});

test('the server may say that the model wants to go on', async () => {
  const { send, server } = await agentOver('responses', [{ text: 'Wait.', endTurn: false }, { text: 'Now.' }]);
  expect((await send('Go')).message).toBe('Now.');
  expect(server.requests).toHaveLength(2);
});

test('a model that wants to go on for ever without doing anything is taken to be done', async () => {
  const { send } = await agentOver('responses', () => ({ text: 'Soon.', endTurn: false }));
  expect(await send('Go')).toMatchObject({ status: 'completed', message: 'Soon.', requests: 21 });
});

test.each([
  ['chat', 'responses'],
  ['responses', 'chat'],
] as const)('a conversation goes on with another model, from %s to %s', async (from, to) => {
  const agent = await agentOver(
    from,
    [{ reasoning: 'Hm.', calls: [say('x', 'one'), { custom: 'shout', input: 'y', callId: 'two' }] }, { text: 'One.' }],
    { tools: [echo, shout] },
  );
  await agent.send('First');
  const other = await scriptedModel([{ text: 'Two.' }]);
  agent.change({ model: modelAt(other, to) });
  expect((await agent.send('Second')).message).toBe('Two.');
  const request = await other.request(0);
  expect(answersIn(request)).toEqual([
    ['one', 'x'],
    ['two', 'Y'],
  ]);
  expect(saidIn(request)).toEqual(['user: First', 'assistant: One.', 'user: Second']);
});

function snapshot(sandboxMode: 'read-only' | 'workspace-write'): ContextSnapshot {
  return {
    permissions: { sandboxMode, approvalPolicy: 'never', network: false, allowedHosts: [], writableRoots: [] },
    environment: {
      cwd: '/project',
      shell: 'bash',
      operatingSystem: 'Linux',
      currentDate: '2026-01-01',
      timezone: 'UTC',
      writableRoots: [],
      networkAccess: false,
    },
  };
}
