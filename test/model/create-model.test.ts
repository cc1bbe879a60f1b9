import { describe, expect, test } from 'vitest';

import { ConfigError } from '../../src/core/errors.js';
import { WIRES } from '../../src/core/model.js';
import type { Usage } from '../../src/core/model.js';
import { createModel } from '../../src/model/create-model.js';
import { defineProvider } from '../../src/model/define-provider.js';
import { httpServer } from '../http/servers.js';
import { scriptedModel } from '../support/model-server.js';
import { HELLO, REQUEST, everything, modelAt, open } from './speak.js';

const PATHS = { responses: '/responses', chat: '/chat/completions' };
const USAGE: Usage = {
  inputTokens: 100,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 10,
  reasoningOutputTokens: 0,
};

describe.each(WIRES)('over the %s API', (wire) => {
  test('a response is read as it comes, however its bytes are cut', async () => {
    const server = await scriptedModel([
      { text: 'Grüße, 世界', chunkSize: 5, writeSize: 7, calls: [{ name: 'look', arguments: {} }] },
    ]);
    const model = modelAt({ base_url: server.baseUrl, wire_api: wire });
    const events = await everything(open(model));
    expect(events).toEqual([
      { kind: 'text-delta', text: 'Grüße' },
      { kind: 'text-delta', text: ', 世界' },
      { message: 'Grüße, 世界' },
      { call: 'look' },
      expect.objectContaining({ kind: 'completed', stop: 'end', usage: USAGE }),
    ]);
    expect([model.name, model.provider, model.wire, model.limits]).toEqual([
      'scripted-model',
      'test',
      wire,
      { requestRetries: 4, streamRetries: 5 },
    ]);
  });

  test('a server learns nothing but what it needs', async () => {
    const server = await scriptedModel([{ text: 'ok' }]);
    await everything(open(modelAt({ base_url: `${server.baseUrl}/`, wire_api: wire })));
    const { path, headers, bodyText } = await server.request(0);
    expect([path, headers]).toEqual([
      `/v1${PATHS[wire]}`,
      {
        host: `127.0.0.1:${server.port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(bodyText)),
        accept: 'text/event-stream',
        'user-agent': 'tenon/9.9.9',
      },
    ]);
  });

  test('keys, headers and queries are sent as they are configured', async () => {
    const server = await scriptedModel([{ text: 'ok' }]);
    const model = modelAt(
      {
        base_url: `${server.baseUrl}?deployment=a%20b`,
        wire_api: wire,
        env_key: 'TEST_KEY',
        http_headers: { 'X-Team': 'red', 'User-Agent': 'ours' },
        env_http_headers: { 'X-Project': 'TEST_PROJECT', 'X-Absent': 'TEST_ABSENT' },
        query_params: { 'api-version': '1' },
      },
      { TEST_KEY: ' sk-123 \n', TEST_PROJECT: 'p-1' },
    );
    await everything(open(model));
    const { path, headers } = await server.request(0);
    expect(path).toBe(`/v1${PATHS[wire]}?deployment=a+b&api-version=1`);
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-123',
      'x-team': 'red',
      'user-agent': 'ours',
      'x-project': 'p-1',
    });
    expect(headers).not.toHaveProperty('x-absent');
  });

  test('a request extends the one before it byte for byte, over the same connection', async () => {
    const server = await scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const model = modelAt({ base_url: server.baseUrl, wire_api: wire });
    await everything(open(model));
    await everything(open(model, { entries: [HELLO, HELLO] }));
    const [first, second] = [await server.request(0), await server.request(1)];
    expect(second.bodyText.startsWith(first.bodyText.slice(0, -']}'.length))).toBe(true);
    expect(second.bodyText.length).toBeGreaterThan(first.bodyText.length);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test('a server that does not stream is understood', async () => {
    const server = await scriptedModel([{ text: 'whole' }]);
    const whole = await httpServer(async (_, response) => {
      const body = JSON.stringify({ model: 'scripted-model', stream: false, messages: [], input: [] });
      const answer = await fetch(`${server.baseUrl}${PATHS[wire]}`, { method: 'POST', body });
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(`\n ${await answer.text()}`);
    });
    expect(await everything(open(modelAt({ base_url: `${whole.origin}/v1`, wire_api: wire })))).toEqual([
      { message: 'whole' },
      expect.objectContaining({ kind: 'completed', usage: USAGE }),
    ]);
  });

  test('who has heard enough may leave', async () => {
    const server = await scriptedModel([{ text: 'a long text', chunkSize: 1, fault: { kind: 'stall' } }]);
    for await (const { kind } of open(modelAt({ base_url: server.baseUrl, wire_api: wire }))) {
      expect(kind).toBe('text-delta');
      break;
    }
    await server.idle();
  });

  test.each(['connecting', 'waiting', 'streaming'])(
    'a signal that fires while %s ends it with its reason',
    async (when) => {
      const reason = new Error('enough');
      const stop = new AbortController();
      const server = await scriptedModel(() => {
        if (when === 'waiting') stop.abort(reason);
        return { text: 'a long text', chunkSize: 1, fault: { kind: 'stall' } };
      });
      const events = open(modelAt({ base_url: server.baseUrl, wire_api: wire }), { signal: stop.signal });
      if (when === 'connecting') stop.abort(reason);
      const read = async (): Promise<void> => {
        for await (const _ of events) stop.abort(reason);
      };
      await expect(read()).rejects.toBe(reason);
      await server.idle();
    },
  );
});

test('a model says whether its server takes schemas for answers', () => {
  const taking = (strict_schemas?: boolean): boolean =>
    modelAt({ base_url: 'http://127.0.0.1:9', ...(strict_schemas !== undefined && { strict_schemas }) }).takesSchemas;
  expect([taking(), taking(true), taking(false)]).toEqual([true, true, false]);
});

test('what does not change of a request is spelled once', () => {
  let spelled = 0;
  const request = {
    ...REQUEST,
    get instructions() {
      spelled += 1;
      return 'Be brief.';
    },
  };
  const model = modelAt({ base_url: 'http://127.0.0.1:9' });
  const { signal } = new AbortController();
  const ask = async (): Promise<unknown> => everything(model.open(request, Buffer.from(''), signal));
  return expect(Promise.all([ask(), ask()]).then(() => spelled)).resolves.toBe(1);
});

describe('before any request', () => {
  const provider = defineProvider('far', {
    name: 'Far Away',
    base_url: 'https://far.test/v1',
    env_key: 'FAR_KEY',
    env_key_instructions: 'Ask Far Away for one.',
  });
  const create = (env: Record<string, string>): unknown => createModel({ provider, model: 'm', env, version: '1' });

  test.each([{}, { FAR_KEY: '  ' }])('a missing key is told of (%j)', (env) => {
    expect(() => create(env)).toThrow(
      'Far Away needs a key, but FAR_KEY is not set. Ask Far Away for one. Put it into the environment: export FAR_KEY=…',
    );
  });

  test('a key that no header can carry is told of, and not repeated', () => {
    expect(() => create({ FAR_KEY: 'sk-\u0007secret' })).toThrow(
      new ConfigError('FAR_KEY has characters that no header may have: set it again, without them'),
    );
  });

  test('a proxy that cannot be used is told of', () => {
    expect(() => create({ FAR_KEY: 'k', ALL_PROXY: 'socks5://127.0.0.1' })).toThrow(
      /^ALL_PROXY names a proxy of the kind/,
    );
  });
});
