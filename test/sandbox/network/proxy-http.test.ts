import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';

import { listen, loginLine, say, startOrigin, startProxy, startServer, talkTo } from './proxy-fixture.js';

const CLOSE = 'Connection: close\r\n';

function headersOf(rawHeaders: readonly string[]): Record<string, string> {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1]]] : [],
  );
  return Object.fromEntries(pairs);
}

test('a request to an allowed host is written anew for it', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const { login, refusals } = openRun(['listed.example']);
  const answer = await say(
    port,
    `GET http://LISTED.example:${origin.port}/a?b=%20c HTTP/1.1\r\nHost: evil.com\r\n${login}Proxy-Connection: keep-alive\r\n` +
      'TE: trailers\r\nKeep-Alive: 5\r\nX-Own: kept\r\nX-Gone: gone\r\nConnection: close, X-Gone\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
  expect(answer).not.toContain('X-Hop');
  expect(answer).toContain(`seen listed.example:${origin.port}/a?b=%20c`);
  const [seen] = origin.seen;
  expect(seen).toMatchObject({ method: 'GET', url: '/a?b=%20c', body: '' });
  expect(headersOf(seen?.rawHeaders ?? [])).toEqual({
    host: `listed.example:${origin.port}`,
    'x-own': 'kept',
    connection: 'close',
  });
  expect(refusals).toEqual([]);
});

test('a body is passed on with the length it came with, or in chunks', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const { login } = openRun(['listed.example']);
  const head = `POST http://listed.example:${origin.port} HTTP/1.1\r\nHost: x\r\n${login}${CLOSE}`;
  await say(port, `${head}Content-Length: 5\r\n\r\nhello`);
  await say(port, `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`);
  await say(port, `${head.replace('POST', 'GET')}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`);
  await say(port, `${head}\r\n`);
  expect(origin.seen.map(({ url, body }) => ({ url, body }))).toEqual([
    { url: '/', body: 'hello' },
    { url: '/', body: 'hello' },
    { url: '/', body: 'hello' },
    { url: '/', body: '' },
  ]);
  expect(origin.seen.map(({ rawHeaders }) => headersOf(rawHeaders)['content-length'])).toEqual([
    '5',
    undefined,
    undefined,
    '0',
  ]);
});

test('every request in a connection is judged anew', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const { login, refusals } = openRun(['listed.example']);
  const talk = await talkTo(port);
  const get = (host: string): string => `GET http://${host}:${origin.port}/ HTTP/1.1\r\nHost: x\r\n${login}\r\n`;
  talk.socket.write(get('listed.example'));
  expect(await talk.hears('seen listed.example')).toContain('200 OK');
  talk.socket.write(get('other.example'));
  expect(await talk.hears('is not an allowed host')).toContain('403 Forbidden');
  // Several at once, and one that does not say whose it is.
  talk.socket.write(
    get('listed.example') + get('third.example') + `GET http://listed.example/ HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
  );
  expect(await talk.hears('seen listed.example')).toContain('200 OK');
  expect(await talk.hears('is not an allowed host')).toContain('403 Forbidden');
  expect(await talk.rest()).toContain('407 Proxy Authentication Required');
  expect(refusals).toEqual([
    { host: 'other.example', port: origin.port, reason: 'not-listed' },
    { host: 'third.example', port: origin.port, reason: 'not-listed' },
  ]);
  expect(origin.seen).toHaveLength(2);
});

test('a connection may carry any number of requests', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { port, openRun } = await startProxy();
  const { login, refusals } = openRun([]);
  const talk = await talkTo(port);
  for (let count = 0; count < 20; count += 1) {
    talk.socket.write(`GET http://a.example/ HTTP/1.1\r\nHost: x\r\n${login}\r\n`);
    await talk.hears('is not an allowed host');
  }
  expect(refusals).toHaveLength(20);
  expect(warnings).toEqual([]);
});

test('a request to upgrade is passed on as one that does not, and nothing after it', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const { login } = openRun(['listed.example']);
  const talk = await talkTo(port);
  const target = `http://listed.example:${origin.port}/ HTTP/1.1\r\nHost: x\r\n${login}`;
  talk.socket.write(`GET ${target}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET ${target}${CLOSE}\r\n`);
  expect(await talk.rest()).toContain('seen listed.example');
  expect(origin.seen).toHaveLength(1);
  expect(headersOf(origin.seen[0]?.rawHeaders ?? [])).toEqual({
    host: `listed.example:${origin.port}`,
    connection: 'close',
  });
});

describe('a host that is not allowed', () => {
  test.each([
    ['other.example', { host: 'other.example', port: 80, reason: 'not-listed' }],
    ['listed.example.evil.com', { host: 'listed.example.evil.com', port: 80, reason: 'not-listed' }],
    ['evil-listed.example:8080', { host: 'evil-listed.example', port: 8080, reason: 'not-listed' }],
    ['169.254.169.254', { host: '169.254.169.254', port: 80, reason: 'not-listed' }],
    ['2852039166', { host: '169.254.169.254', port: 80, reason: 'not-listed' }],
    ['0xa9.0xfe.0xa9.0xfe', { host: '169.254.169.254', port: 80, reason: 'not-listed' }],
    ['0251.0376.0251.0376', { host: '169.254.169.254', port: 80, reason: 'not-listed' }],
    ['[::ffff:169.254.169.254]', { host: '169.254.169.254', port: 80, reason: 'not-listed' }],
    ['127.1', { host: '127.0.0.1', port: 80, reason: 'not-listed' }],
    ['[::1]', { host: '::1', port: 80, reason: 'not-listed' }],
    ['listed.example@evil.com', { host: 'evil.com', port: 0, reason: 'malformed' }],
    ['user:secret@listed.example', { host: 'listed.example', port: 0, reason: 'malformed' }],
    ['listed.example:80:80', { host: 'listed.example:80:80', port: 0, reason: 'malformed' }],
    ['', { host: '', port: 0, reason: 'malformed' }],
  ])('%s is told and answered', async (authority, refusal) => {
    const { port, openRun } = await startProxy();
    const { login, refusals } = openRun(['listed.example']);
    const answer = await say(port, `GET http://${authority}/ HTTP/1.1\r\nHost: listed.example\r\n${login}${CLOSE}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain('tenon: blocked by the sandbox: ');
    expect(refusals).toEqual([refusal]);
  });
});

test('a refusal says what was blocked', async () => {
  const { port, openRun } = await startProxy();
  const { login } = openRun([]);
  const answer = await say(port, `GET http://example.com/ HTTP/1.1\r\nHost: x\r\n${login}${CLOSE}\r\n`);
  expect(answer.split('\r\n\r\n')[1]).toBe('tenon: blocked by the sandbox: example.com:80 is not an allowed host\n');
});

describe('a request that could be read in two ways', () => {
  const target = 'http://listed.example/ HTTP/1.1\r\n';
  test.each([
    ['two hosts', `GET ${target}Host: listed.example\r\nHost: evil.com\r\n`, 403],
    ['an unusual encoding', `POST ${target}Host: x\r\nTransfer-Encoding: gzip, chunked\r\n`, 403],
    ['two encodings', `POST ${target}Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`, 400],
    ['a path only', 'GET / HTTP/1.1\r\nHost: listed.example\r\n', 403],
    ['another scheme', 'GET https://listed.example/ HTTP/1.1\r\nHost: listed.example\r\n', 403],
    ['two lengths', `POST ${target}Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n`, 400],
    ['a length and an encoding', `POST ${target}Host: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n`, 400],
    ['a length that is none', `POST ${target}Host: x\r\nContent-Length: +1\r\n`, 400],
    ['an encoding that hides', `POST ${target}Host: x\r\nTransfer-Encoding : chunked\r\n`, 400],
    ['a folded header', `GET ${target}Host: x\r\nX-A: b\r\n c\r\n`, 400],
    ['a name that is not ASCII', 'GET http://faß.example/ HTTP/1.1\r\nHost: x\r\n', 400],
    ['a bare line end', `GET ${target}Host: x\nX-A: b\r\n`, 400],
    ['no host header', `GET ${target}`, 400],
    ['an endless header', `GET ${target}Host: x\r\nX-A: ${'b'.repeat(17_000)}\r\n`, 431],
  ])('is not passed on: %s', async (_, head, status) => {
    const seen: string[] = [];
    const { port, openRun } = await startProxy({
      resolve: (host) => {
        seen.push(host);
        return Promise.resolve([]);
      },
    });
    const { login } = openRun(['listed.example']);
    expect(await say(port, `${head}${login}${CLOSE}\r\n`)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(seen).toEqual([]);
  });
});

test('however many headers there are, the length of the body is not lost among them', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const { login } = openRun(['listed.example']);
  const many = 'a:\r\n'.repeat(2_500);
  await say(
    port,
    `POST http://listed.example:${origin.port}/ HTTP/1.1\r\nHost: x\r\n${login}${CLOSE}${many}Content-Length: 5\r\n\r\nhello`,
  );
  // The origin has its own limit on what it tells, but reads the body by the length all the same.
  expect(origin.seen.map(({ body }) => body)).toEqual(['hello']);
});

describe('nothing is reached without a run', () => {
  test.each([
    ['no token', () => ''],
    ['a wrong one', () => loginLine('wrong')],
    ['one with more behind it', (token: string) => loginLine(`${token}x`)],
    ['the beginning of one', (token: string) => loginLine(token.slice(0, -1))],
    ['another scheme', (token: string) => `Proxy-Authorization: Bearer ${token}\r\n`],
    ['no name before it', (token: string) => `Proxy-Authorization: Basic ${Buffer.from(token).toString('base64')}\r\n`],
    ['a token for the host', (token: string) => loginLine(token).replace('Proxy-', '')],
  ])('%s', async (_, login) => {
    const origin = await startOrigin();
    const { port, openRun } = await startProxy();
    const { token, refusals } = openRun(['*']);
    const rest = ` HTTP/1.1\r\nHost: x\r\n${login(token)}${CLOSE}\r\n`;
    const answers = [
      await say(port, `GET http://listed.example:${origin.port}/${rest}`),
      await say(port, `CONNECT listed.example:${origin.port}${rest}`),
    ];
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 407 Proxy Authentication Required\r\n/);
      expect(answer).toContain('Proxy-Authenticate: Basic realm="tenon"\r\n');
    }
    expect(origin.seen).toEqual([]);
    expect(refusals).toEqual([]);
  });

  test('a run that is over', async () => {
    const { port, openRun } = await startProxy();
    const { login, close } = openRun(['*']);
    close();
    expect(await say(port, `GET http://a.example/ HTTP/1.1\r\nHost: x\r\n${login}${CLOSE}\r\n`)).toContain(' 407 ');
  });
});

test('one run does not see what another may', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const one = openRun(['one.example']);
  const two = openRun(['two.example']);
  const get = (login: string): Promise<string> =>
    say(port, `GET http://one.example:${origin.port}/ HTTP/1.1\r\nHost: x\r\n${login}${CLOSE}\r\n`);
  expect(await get(one.login)).toContain(' 200 ');
  expect(await get(two.login)).toContain(' 403 ');
  expect([one.refusals, two.refusals]).toEqual([
    [],
    [{ host: 'one.example', port: origin.port, reason: 'not-listed' }],
  ]);
});

describe('a server that fails is told from one that is blocked', () => {
  const get = (port: number): string => `http://listed.example:${port}/ HTTP/1.1\r\nHost: x\r\n${CLOSE}`;

  test('nobody listens', async () => {
    const gone = createServer();
    const dead = await listen(gone);
    gone.close();
    const { port, openRun } = await startProxy();
    const { login, refusals } = openRun(['listed.example']);
    const answer = await say(port, `GET ${get(dead)}${login}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(answer).toContain(`tenon: could not reach listed.example:${dead}: connect ECONNREFUSED`);
    expect(refusals).toEqual([]);
  });

  test('the name is not known', async () => {
    const { port, openRun } = await startProxy({ resolve: () => Promise.reject(new Error('no such name')) });
    const { login } = openRun(['listed.example']);
    expect(await say(port, `GET ${get(80)}${login}\r\n`)).toContain('502 Bad Gateway');
    expect(await say(port, `CONNECT listed.example:80 HTTP/1.1\r\n${login}\r\n`)).toContain('no such name');
  });

  test.each([
    ['nothing', ''],
    ['nonsense', 'SSH-2.0-nonsense\r\n'],
    ['an unasked upgrade', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ])('it says %s', async (_, said) => {
    const server = await startServer((socket) => void socket.once('data', () => socket.end(said)));
    const { port, openRun } = await startProxy();
    const { login } = openRun(['listed.example']);
    expect(await say(port, `GET ${get(server)}${login}\r\n`)).toContain('502 Bad Gateway');
  });

  test('it breaks off in the middle', async () => {
    const server = await startServer(
      (socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
    );
    const { port, openRun } = await startProxy();
    const { login } = openRun(['listed.example']);
    const answer = await say(port, `GET ${get(server)}${login}\r\n`);
    expect(answer).toContain('Content-Length: 9\r\n');
    expect(answer).toMatch(/half$/);
  });
});

test('a server may answer before it has read the whole body', async () => {
  const server = await startServer(
    (socket) => void socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno')),
  );
  const { port, openRun } = await startProxy();
  const { login } = openRun(['listed.example']);
  const talk = await talkTo(port);
  talk.socket.write(
    `POST http://listed.example:${server}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3000001\r\n${login}\r\na`,
  );
  expect(await talk.hears('\r\n\r\nno')).toContain('413 Too Large');
  talk.socket.write(`${'b'.repeat(3_000_000)}GET http://other.example/ HTTP/1.1\r\nHost: x\r\n${login}\r\n`);
  expect(await talk.hears('is not an allowed host')).toContain('403');
});

test('a server is left alone when its client has gone', async () => {
  const events = new EventEmitter();
  const [asked, left] = [once(events, 'asked'), once(events, 'left')];
  const server = await startServer((socket) => {
    socket.once('data', () => events.emit('asked'));
    socket.once('end', () => events.emit('left'));
  });
  const { port, openRun } = await startProxy();
  const talk = await talkTo(port);
  talk.socket.write(`GET http://a.example:${server}/ HTTP/1.1\r\nHost: x\r\n${openRun(['*']).login}\r\n`);
  await asked;
  talk.socket.destroy();
  await left;
});
