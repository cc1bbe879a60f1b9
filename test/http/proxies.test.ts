import { expect, onTestFinished, test } from 'vitest';

import { ConfigError } from '../../src/core/errors.js';
import { createHttpClient } from '../../src/http/http-client.js';
import { readText } from '../../src/http/read-text.js';
import { closedPort, forwardProxy, httpServer } from './servers.js';

test('a plain request is handed to the proxy whole, with the login of its address, over one connection', async () => {
  const proxy = await forwardProxy(0, 'me:p@ss');
  const ask = askThrough({ http_proxy: `http://me:p%40ss@127.0.0.1:${proxy.port}` });
  expect(await ask('http://far.test:8080/v1/models?x=1')).toBe('GET for far.test:8080');
  expect(await ask('http://other.test/')).toBe('GET for other.test');
  expect([proxy.seen, proxy.connections()]).toEqual([
    ['GET http://far.test:8080/v1/models?x=1 me:p@ss', 'GET http://other.test/ me:p@ss'],
    1,
  ]);
});

test('an encrypted request goes through a tunnel, and what is at its end has to prove itself', async () => {
  const plain = await httpServer((_, response) => void response.end('hello'));
  const proxy = await forwardProxy(plain.port);
  const ask = askThrough({ HTTPS_PROXY: `127.0.0.1:${proxy.port}` });
  await expect(ask('https://far.test/')).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'cannot reach https://far.test (it does not speak TLS): is it http:// rather than https://?',
  });
  await expect(ask('https://[2001:db8::1]:8443/')).rejects.toMatchObject({ kind: 'unreachable' });
  expect(proxy.seen).toEqual(['CONNECT far.test:443', 'CONNECT [2001:db8::1]:8443']);
});

test.each(['http', 'https'])(
  'a proxy that wants another login is told of, without the password (%s)',
  async (scheme) => {
    const proxy = await forwardProxy(0, 'me:right');
    const ask = askThrough({ ALL_PROXY: `http://me:wrong@127.0.0.1:${proxy.port}/` });
    await expect(ask(`${scheme}://far.test/`)).rejects.toMatchObject({
      kind: 'unreachable',
      message:
        `the proxy ${proxy.origin} (from ALL_PROXY) wants a user and a password: ` +
        'write the address in ALL_PROXY as http://user:password@host:port, with the right ones',
    });
  },
);

test.each(['http', 'https'])('a proxy that is not there is told of as such (%s)', async (scheme) => {
  const port = await closedPort();
  await expect(askThrough({ ALL_PROXY: `http://127.0.0.1:${port}` })(`${scheme}://far.test/`)).rejects.toMatchObject({
    kind: 'unreachable',
    message:
      `cannot reach the proxy http://127.0.0.1:${port} (from ALL_PROXY) (connection refused): ` +
      'is the server running, and is this its port?',
  });
});

test('a proxy that finds no way is told of', async () => {
  const proxy = await forwardProxy(await closedPort());
  await expect(askThrough({ https_proxy: proxy.origin })('https://far.test/')).rejects.toMatchObject({
    kind: 'unreachable',
    message:
      `the proxy ${proxy.origin} (from https_proxy) does not connect to far.test:443 (status 502): ` +
      'check the address, or list the host in NO_PROXY if it can be reached directly',
  });
});

test('a proxy of another kind is not gone around', async () => {
  await expect(askThrough({ ALL_PROXY: 'socks5://127.0.0.1:1080' })('https://far.test/')).rejects.toThrow(
    new ConfigError(
      'ALL_PROXY names a proxy of the kind socks5:// that cannot be used: ' +
        'name one that begins with http://, or list the host in NO_PROXY',
    ),
  );
});

test('a server of this machine is reached without the proxy', async () => {
  const server = await httpServer((_, response) => void response.end('direct'));
  const ask = askThrough({ HTTP_PROXY: `http://127.0.0.1:${await closedPort()}` });
  expect(await ask(server.origin)).toBe('direct');
});

function askThrough(env: Record<string, string>): (url: string) => Promise<string> {
  const http = createHttpClient({ env });
  onTestFinished(() => http.close());
  const { signal } = new AbortController();
  return async (url) => readText((await http.get({ url, headers: {}, idleMs: 5000, signal })).chunks, 1000);
}
