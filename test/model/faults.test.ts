import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { ModelEvent } from '../../src/core/model.js';
import type { ScriptedFault } from '../../src/testing/index.js';
import { closedPort, httpServer } from '../http/servers.js';
import { scriptedModel } from '../support/model-server.js';
import { everything, modelAt, open } from './speak.js';

describe.each(WIRES)('over the %s API', (wire) => {
  const TEXT = 'some words that take a few events';

  const failureOn = async (fault: ScriptedFault): Promise<unknown> => {
    const server = await scriptedModel([{ text: TEXT, fault }]);
    const idle = fault.kind === 'stall' ? { stream_idle_timeout_ms: 400 } : {};
    const model = modelAt({ base_url: server.baseUrl, wire_api: wire, ...idle });
    const last = (await everything(open(model))).at(-1);
    return JSON.parse(JSON.stringify(last).replaceAll(`http://127.0.0.1:${server.port}`, 'SERVER')) as unknown;
  };

  const error = (message: string, code?: string): { error: object } => ({ error: { message, code, type: code } });

  test.each<[string, ScriptedFault, object]>([
    [
      'a rate limit, with the time to wait',
      { kind: 'status', status: 429, retryAfter: 2, body: error('slow down') },
      { failed: 'rate-limit', status: 429, retryAfterMs: 2000, message: expect.stringMatching(/^SERVER: .*slow down/) },
    ],
    [
      'a rate limit for longer than anybody waits',
      { kind: 'status', status: 429, retryAfter: 5400, body: error('slow down.') },
      {
        failed: 'rate-limit',
        status: 429,
        retryAfterMs: 5_400_000,
        message: expect.stringMatching(/^SERVER: .*slow down\. It asks to be left alone for 90 minutes\.$/),
      },
    ],
    [
      'a used up quota',
      { kind: 'status', status: 429, body: error('no money left', 'insufficient_quota') },
      { failed: 'quota', status: 429, message: expect.stringContaining('no money left') },
    ],
    [
      'a server that is busy',
      { kind: 'status', status: 503, retryAfter: 1, body: 'upstream is down' },
      { failed: 'server', status: 503, retryAfterMs: 1000, message: expect.stringContaining('upstream is down') },
    ],
    [
      'a key that is not welcome',
      { kind: 'status', status: 401, body: error('who are you') },
      {
        failed: 'refused',
        status: 401,
        message: expect.stringMatching(
          /who are you.* name the variable that holds it as env_key in \[model_providers\.test\]\.$/,
        ),
      },
    ],
    [
      'a request that is refused',
      { kind: 'status', status: 400, body: error('no such field') },
      { failed: 'refused', status: 400, message: expect.stringContaining('no such field') },
    ],
    [
      'a context that is full',
      { kind: 'contextOverflow' },
      { failed: 'overflow', status: 400, message: expect.any(String) },
    ],
    [
      'a failure in the stream',
      { kind: 'errorEvent', code: 'server_error', message: 'out of luck', afterEvents: 3 },
      { failed: 'server', streaming: true, message: expect.stringMatching(/^SERVER: .*out of luck/) },
    ],
    [
      'a socket that is gone in the middle',
      { kind: 'drop' },
      { failed: 'closed', streaming: true, message: 'SERVER closed the connection before its answer was complete' },
    ],
    [
      'a stream that ends too early',
      { kind: 'eof' },
      { failed: 'closed', streaming: true, message: expect.stringMatching(/^SERVER: /) },
    ],
    [
      'a stream that goes silent',
      { kind: 'stall' },
      { failed: 'stalled', streaming: true, message: 'SERVER sent nothing for 0.4 s in the middle of its answer' },
    ],
    ['noise', { kind: 'garbage' }, { failed: 'garbled', message: expect.stringMatching(/^SERVER: .*base_url/) }],
    [
      'a page',
      { kind: 'html' },
      { failed: 'garbled', message: expect.stringMatching(/^SERVER: the server sent a web page/) },
    ],
    [
      'a socket that is reset at once',
      { kind: 'reset' },
      { failed: 'closed', message: 'SERVER closed the connection before it answered' },
    ],
  ])('%s', async (_, fault, told) => {
    expect(await failureOn(fault)).toEqual(told);
  });

  test('data that is no JSON leaves a hole, where the end does not list what there was', async () => {
    const server = await scriptedModel([{ text: TEXT, fault: { kind: 'malformed' } }]);
    const events = await everything(open(modelAt({ base_url: server.baseUrl, wire_api: wire })));
    const hole = { failed: 'garbled', streaming: true, message: expect.stringContaining('has a hole') as unknown };
    expect(events.filter((event) => !isDelta(event))).toEqual(
      wire === 'chat' ? [hole] : [{ message: TEXT }, expect.objectContaining({ kind: 'completed' })],
    );
  });

  test('nobody is there', async () => {
    const port = await closedPort();
    expect(await everything(open(modelAt({ base_url: `http://127.0.0.1:${port}/v1`, wire_api: wire })))).toEqual([
      {
        failed: 'unreachable',
        message: `cannot reach http://127.0.0.1:${port} (connection refused): is the server running, and is this its port?`,
      },
    ]);
  });

  test('a model that is not there leads to the one that was meant', async () => {
    const fault: ScriptedFault = {
      kind: 'status',
      status: 404,
      times: 2,
      body: error('model "scripted-model" not found'),
    };
    const server = await scriptedModel([{ fault }], { models: ['other', 'scripted-modal'] });
    const few = await scriptedModel([{ fault }], { models: ['other', 'another'] });
    const told = async (baseUrl: string): Promise<unknown> =>
      everything(open(modelAt({ base_url: baseUrl, wire_api: wire })));
    expect(await told(server.baseUrl)).toEqual([
      { failed: 'refused', status: 404, message: expect.stringMatching(/not found.* Did you mean scripted-modal\?$/) },
    ]);
    expect(await told(few.baseUrl)).toEqual([
      { failed: 'refused', status: 404, message: expect.stringMatching(/not found.* It has other, another\.$/) },
    ]);
  });

  test('an object that is broken off', async () => {
    const server = await httpServer((_, response) => void response.end('{"choices": [{'));
    expect(await everything(open(modelAt({ base_url: server.origin, wire_api: wire })))).toEqual([
      { failed: 'garbled', message: `${server.origin}: the server sent an object that is not valid JSON` },
    ]);
  });

  test('an answer of nothing', async () => {
    const server = await httpServer((_, response) => void response.end());
    expect(await everything(open(modelAt({ base_url: server.origin, wire_api: wire })))).toEqual([
      expect.objectContaining({ failed: expect.stringMatching(/^(garbled|closed)$/) as unknown }),
    ]);
  });
});

function isDelta(event: unknown): boolean {
  return (event as Partial<ModelEvent>).kind === 'text-delta';
}

test('a redirection is not followed, because the key would go along', async () => {
  const elsewhere = await httpServer((_, response) => void response.end());
  const server = await httpServer((_, response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/v2/x?token=t` }).end();
  });
  expect(await everything(open(modelAt({ base_url: server.origin })))).toEqual([
    {
      failed: 'refused',
      status: 307,
      message: expect.stringMatching(
        new RegExp(`It sends requests on to ${elsewhere.origin}/v2/x; if that is right, set base_url`),
      ) as unknown,
    },
  ]);
  expect(elsewhere.connections()).toBe(0);
});

test('the title of a page is told, for it may say why', async () => {
  const page = '<!doctype html>\n<html><head><title lang="en">Sign in\n to go on</title></head></html>';
  const server = await httpServer((_, response) => void response.end(page));
  expect(await everything(open(modelAt({ base_url: server.origin })))).toEqual([
    {
      failed: 'garbled',
      message: `${server.origin}: the server sent a web page (“Sign in to go on”) in place of a response. Check base_url of the provider.`,
    },
  ]);
});

describe('secrets that a server repeats', () => {
  const KEY = 'sk-live-0123456789abcdefghij/+"';
  const settings = {
    env_key: 'TEST_KEY',
    env_http_headers: { 'X-Org': 'TEST_ORG' },
    http_headers: { 'X-Api': 'plain-name-1', 'X-Version': '2026-01-01', 'X-Key': 'k1y2' },
    query_params: { token: 'tok-12345678', harmless: 'not-so-harmless' },
  };
  const env = { TEST_KEY: KEY, TEST_ORG: 'Bearer org-secret-1' };

  test.each([
    ['in an error', 401, JSON.stringify({ error: { message: `bad key ${KEY}, org-secret-1 for pass-word` } })],
    ['encoded', 400, `url ${encodeURIComponent(KEY)} base64 ${Buffer.from(KEY).toString('base64')} token=tok-12345678`],
    ['cut off', 500, `key ${KEY.slice(0, 20)}… is bad; me:pass-word`],
    ['on a page', 200, `<html><title>${KEY.slice(0, 30)}</title></html>`],
    ['in a stream', 200, `data: ${JSON.stringify({ error: { message: `${KEY} tok-12345678 org-secret-1` } })}\n\n`],
  ])('%s', async (_, status, body) => {
    const server = await httpServer((_request, response) => void response.writeHead(status).end(body));
    const model = modelAt({ ...settings, base_url: server.origin.replace('://', '://me:pass-word@') }, env);
    const told = JSON.stringify(await everything(open(model)));
    expect(told).toContain('(hidden)');
    for (const secret of [
      KEY.slice(0, 12),
      'org-secret',
      'tok-1234',
      'pass-word',
      Buffer.from(KEY).toString('base64'),
    ]) {
      expect(told).not.toContain(secret);
    }
    expect(told).not.toContain(encodeURIComponent(KEY));
  });

  test('whatever their headers and parameters are called, but for versions', async () => {
    const body = 'plain-name-1 not-so-harmless k1y2 2026-01-01 in-the-address';
    const server = await httpServer((_request, response) => void response.writeHead(400).end(body));
    const model = modelAt({ ...settings, base_url: `${server.origin}?x=in-the-address` }, env);
    expect(await everything(open(model))).toEqual([
      {
        failed: 'refused',
        status: 400,
        message: expect.stringContaining('(hidden) (hidden) (hidden) 2026-01-01 (hidden)') as unknown,
      },
    ]);
  });
});
