import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createHttpClient } from '../../src/http/http-client.js';
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from '../../src/http/http-client.js';
import { readText } from '../../src/http/read-text.js';
import { bodyOf, closedPort, httpServer, pledge, rawServer } from './servers.js';

describe('requests', () => {
  test('the pieces of a body arrive as one, with their length and the headers given', async () => {
    const server = await httpServer(async (request, response) => {
      const { 'content-length': length, 'x-mark': mark, 'accept-encoding': encodings = 'none' } = request.headers;
      response
        .setHeader('x-seen', 'yes')
        .end(`${request.url} ${length} ${String(mark)} ${encodings} ${await bodyOf(request)}`);
    });
    const pieces = ['{"a":[', '', '1,2', ']}'].map((piece) => Buffer.from(piece));
    const { status, headers, chunks } = await client().post({
      ...to(`${server.origin}/v1/x?y=1`),
      headers: { 'x-mark': 'm' },
      body: pieces,
    });
    expect({ status, seen: headers['x-seen'], text: await readText(chunks, 1000) }).toEqual({
      status: 200,
      seen: 'yes',
      text: '/v1/x?y=1 11 m none {"a":[1,2]}',
    });
  });

  test('a body of many megabytes arrives whole, also when the server is slow to read it', async () => {
    const server = await httpServer(async (request, response) => {
      request.pause();
      setImmediate(() => request.resume());
      response.end(String((await bodyOf(request)).length));
    });
    const piece = Buffer.alloc(4 * 1024 * 1024, 'x');
    const answer = await client().post({ ...to(server.origin), body: [piece, piece, piece] });
    expect(await text(answer)).toBe(String(12 * 1024 * 1024));
  });

  test('an error status is an answer like any other', async () => {
    const server = await httpServer((_, response) => void response.writeHead(503, { 'retry-after': '2' }).end('busy'));
    const answer = await client().get(to(server.origin));
    expect([answer.status, answer.headers['retry-after'], await text(answer)]).toEqual([503, '2', 'busy']);
  });

  test('two requests after each other use one connection', async () => {
    const server = await httpServer(async (request, response) => response.end(await bodyOf(request)));
    const http = client();
    const first = await text(await http.post({ ...to(server.origin), body: [Buffer.from('one')] }));
    const second = await text(await http.post({ ...to(server.origin), body: [Buffer.from('two')] }));
    expect([first, second, server.connections()]).toEqual(['one', 'two', 1]);
  });

  test('who stops reading when all has come keeps the connection', async () => {
    const server = await httpServer((_, response) => {
      response.write('all there is');
      setImmediate(() => response.end());
    });
    const http = client();
    for (let round = 0; round < 2; round += 1) {
      for await (const chunk of (await http.get(to(server.origin))).chunks) {
        expect(chunk.toString()).toBe('all there is');
        break;
      }
    }
    expect(server.connections()).toBe(1);
  });

  test('who stops reading in the middle of an endless answer closes its connection', async () => {
    const closed = pledge<void>();
    const server = await httpServer((request, response) => {
      response.write('more and more');
      request.socket.once('close', () => closed.resolve());
    });
    for await (const _ of (await client().get(to(server.origin))).chunks) break;
    await closed.promise;
  });

  test('a kept connection that the server resets is replaced without a word', async () => {
    const bodies: string[] = [];
    const server = await httpServer(async (request, response) => {
      bodies.push(await bodyOf(request));
      if (bodies.length === 2) request.socket.resetAndDestroy();
      else response.end('fine');
    });
    const http = client();
    const ask = async (word: string): Promise<string> =>
      text(await http.post({ ...to(server.origin), body: [Buffer.from(word)] }));
    expect([await ask('one'), await ask('two')]).toEqual(['fine', 'fine']);
    expect([bodies, server.connections()]).toEqual([['one', 'two', 'two'], 2]);
  });

  test('it is replaced once: a server that resets the new one too is told of', async () => {
    let requests = 0;
    const server = await httpServer((request, response) => {
      requests += 1;
      if (requests === 1) response.end('fine');
      else request.socket.resetAndDestroy();
    });
    const http = client();
    await text(await http.get(to(server.origin)));
    expect(await failure(http.get(to(server.origin)))).toEqual({
      kind: 'closed',
      message: `${server.origin} closed the connection before it answered`,
    });
    expect(requests).toBe(3);
  });
});

describe('what goes wrong', () => {
  test('nobody listens', async () => {
    const port = await closedPort();
    expect(await failure(client().get(to(`http://127.0.0.1:${port}/v1?key=secret`)))).toEqual({
      kind: 'unreachable',
      message: `cannot reach http://127.0.0.1:${port} (connection refused): is the server running, and is this its port?`,
    });
  });

  test('a name that is nobody’s', async () => {
    expect(await failure(client().get(to('http://nobody.invalid/')))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^cannot reach http:\/\/nobody\.invalid \(host not found\): /),
    });
  });

  test('a proxy that never connects is given up', async () => {
    const silent = await rawServer(() => {});
    const env = { HTTPS_PROXY: silent.origin };
    expect(await failure(client({ env, connectMs: 50 }).get(to('https://far.test/')))).toEqual({
      kind: 'unreachable',
      message: `cannot reach the proxy ${silent.origin} (from HTTPS_PROXY) (no answer): check the address, and your network`,
    });
  });

  test('TLS that is never spoken is given up', async () => {
    const silent = await rawServer(() => {});
    const origin = `https://127.0.0.1:${silent.port}`;
    expect(await failure(client({ connectMs: 50 }).get(to(origin)))).toEqual({
      kind: 'unreachable',
      message: `cannot reach ${origin} (no answer): check the address, and your network`,
    });
  });

  test('the connection is reset before an answer', async () => {
    const server = await httpServer((request) => void request.socket.resetAndDestroy());
    expect(await failure(client().get(to(server.origin)))).toMatchObject({ kind: 'closed' });
  });

  test('the server wants to speak something else from now on', async () => {
    const server = await rawServer((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      );
    });
    expect(await failure(client().get(to(server.origin)))).toEqual({
      kind: 'closed',
      message: `${server.origin} closed the connection before it answered`,
    });
  });

  test('the answer breaks off', async () => {
    const server = await httpServer((request, response) => {
      response.write('half of');
      setImmediate(() => request.socket.destroy());
    });
    const { chunks } = await client().get(to(server.origin));
    expect(await failure(readText(chunks, 1000))).toEqual({
      kind: 'closed',
      message: `${server.origin} closed the connection before its answer was complete`,
    });
  });

  test('no answer comes', async () => {
    const server = await httpServer(() => {});
    expect(await failure(client().get({ ...to(server.origin), idleMs: 50 }))).toEqual({
      kind: 'stalled',
      message: `${server.origin} did not answer within 0.05 s`,
    });
  });

  test('the answer goes silent', async () => {
    const server = await httpServer((_, response) => void response.write('and then'));
    const { chunks } = await client().get({ ...to(server.origin), idleMs: 400 });
    expect(await failure(readText(chunks, 1000))).toEqual({
      kind: 'stalled',
      message: `${server.origin} sent nothing for 0.4 s in the middle of its answer`,
    });
  });

  test('time that the reader takes is not the server’s silence', async () => {
    const asked = pledge<ServerResponse>();
    const server = await httpServer((_, response) => {
      response.write('first');
      asked.resolve(response);
    });
    const silent = await httpServer(() => {});
    const http = client();
    const { chunks } = await http.get({ ...to(server.origin), idleMs: 400 });
    const seen: string[] = [];
    for await (const chunk of chunks) {
      seen.push(chunk.toString());
      if (seen.length === 1) await failure(http.get({ ...to(silent.origin), idleMs: 600 }));
      (await asked.promise).end('last');
    }
    expect(seen).toEqual(['first', 'last']);
  });

  test('what answers does not speak HTTP', async () => {
    const server = await rawServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await failure(client().get(to(server.origin)))).toEqual({
      kind: 'garbled',
      message: `what answers at ${server.origin} does not speak HTTP: is it the right port, and http:// rather than https://?`,
    });
  });
});

describe('a signal', () => {
  const reason = new Error('enough');

  test('that has fired lets nothing be sent', async () => {
    const server = await httpServer((_, response) => void response.end());
    const request = client().get({ ...to(server.origin), signal: AbortSignal.abort(reason) });
    await expect(request).rejects.toBe(reason);
    expect(server.connections()).toBe(0);
  });

  test('that fires right after the call is heard', async () => {
    const server = await httpServer(() => {});
    const stop = new AbortController();
    const request = client().get({ ...to(server.origin), signal: stop.signal });
    stop.abort(reason);
    await expect(request).rejects.toBe(reason);
  });

  test('that fires before the answer closes the connection', async () => {
    const stop = new AbortController();
    const closed = pledge<void>();
    const server = await httpServer((request) => {
      request.socket.once('close', () => closed.resolve());
      stop.abort(reason);
    });
    await expect(client().get({ ...to(server.origin), signal: stop.signal })).rejects.toBe(reason);
    await closed.promise;
  });

  test.each([true, false])('that fires in the middle of the answer ends it (begun to read: %s)', async (hasBegun) => {
    const closed = pledge<void>();
    const server = await httpServer((request, response) => {
      response.write('begun');
      request.socket.once('close', () => closed.resolve());
    });
    const stop = new AbortController();
    const { chunks } = await client().get({ ...to(server.origin), signal: stop.signal });
    const reader = chunks[Symbol.asyncIterator]();
    if (hasBegun) await reader.next();
    const rest = hasBegun ? reader.next() : undefined;
    stop.abort(reason);
    await expect(rest ?? reader.next()).rejects.toBe(reason);
    await closed.promise;
  });

  test('that fires while a proxy is being asked is heard', async () => {
    const stop = new AbortController();
    const proxy = await rawServer((socket) => void socket.once('data', () => stop.abort(reason)));
    const http = client({ env: { HTTPS_PROXY: proxy.origin } });
    await expect(http.get({ ...to('https://far.test/'), signal: stop.signal })).rejects.toBe(reason);
  });
});

test('closing ends connections, also those in use', async () => {
  const server = await httpServer((_, response) => void response.write('begun'));
  const http = client();
  const { chunks } = await http.get(to(server.origin));
  http.close();
  expect(await failure(readText(chunks, 1000))).toMatchObject({ kind: 'closed' });
});

test('reading stops at the given number of bytes', async () => {
  const server = await httpServer((request: IncomingMessage, response) => {
    const more = (): void => void (request.socket.destroyed || response.write('é'.repeat(5000), more));
    more();
  });
  expect(await text(await client().get(to(server.origin)), 20)).toBe('é'.repeat(10));
});

function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  const http = createHttpClient({ env: {}, ...options });
  onTestFinished(() => http.close());
  return http;
}

function to(url: string): HttpRequest {
  return { url, headers: {}, idleMs: 10_000, signal: new AbortController().signal };
}

function text({ chunks }: HttpResponse, most = 1000): Promise<string> {
  return readText(chunks, most);
}

async function failure(promise: Promise<unknown>): Promise<object> {
  const error: unknown = await promise.then(
    () => expect.fail('it worked'),
    (reason: unknown) => reason,
  );
  const { kind, message } = error as { kind: string; message: string };
  return { kind, message };
}
