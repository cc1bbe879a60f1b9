/** Models and servers that mean no good, or cannot count. */
import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import { agentOver, answersIn, modelAt } from '../support/agent.js';
import { loopbackServer } from '../support/loopback-server.js';
import { echo } from '../support/runtime.js';

describe.each(WIRES)('over %s', (wire) => {
  test('two calls with one id are two calls to whoever listens, and the model reads them by the id it gave', async () => {
    const script = [
      ...['a', 'a', 'a-2'].map((callId) => ({ calls: [{ name: 'echo', arguments: { text: callId }, callId }] })),
      { text: 'Done.' },
    ];
    const agent = await agentOver(wire, script, { tools: [echo] });
    await agent.send('Go');
    expect(answersIn(await agent.server.request(3))).toEqual([
      ['a', 'a'],
      ['a', 'a'],
      ['a-2', 'a-2'],
    ]);
    expect(agent.runtime.record.of('call.finished').map(({ callId }) => callId)).toEqual(['a', 'a-2', 'a-2-2']);
  });
});

test('an item that is nested without end fails the turn as any broken response does', async () => {
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const item = `{"type":"function_call","call_id":"c1","name":"echo","arguments":"{}","more":${nested}}`;
  const { port } = await loopbackServer(
    (_, response) =>
      void response.end(
        `data: {"type":"response.output_item.done","item":${item}}\n\n` +
          'data: {"type":"response.completed","response":{"status":"completed","output":[]}}\n\n',
      ),
  );
  const agent = await agentOver('responses', [], { tools: [echo] });
  agent.change({
    model: modelAt({ baseUrl: `http://127.0.0.1:${port}/v1` }, 'responses', { provider: { stream_max_retries: 0 } }),
  });
  expect(await agent.send('Go')).toMatchObject({ status: 'failed', error: { kind: 'garbled' }, requests: 1 });
  expect(agent.runtime.record.of('turn.finished')).toHaveLength(1);
});
