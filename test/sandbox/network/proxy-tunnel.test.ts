import fc from 'fast-check';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';

import { propertyRuns } from '../../support/property-runs.js';
import {
  clientHello,
  say,
  startEcho,
  startOrigin,
  startParent,
  startProxy,
  startServer,
  talkTo,
} from './proxy-fixture.js';
import type { Talk } from './proxy-fixture.js';

const OK = 'HTTP/1.1 200 Connection established\r\n\r\n';
const UNRECOGNIZED_NAME = '\u0015\u0003\u0001\u0000\u0002\u0002p';

function socksRequest(host: string, port: number): Buffer {
  return Buffer.from([5, 1, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255]);
}

/** With the greeting, the password and the request, as one client after another does it. */
async function socksTalk(port: number, token: string, request: Buffer): Promise<Talk> {
  const talk = await talkTo(port);
  talk.socket.write(Buffer.from([5, 2, 0, 2]));
  await talk.hears('\u0005\u0002');
  talk.socket.write(Buffer.from([1, 1, 0x74, token.length, ...Buffer.from(token)]));
  await talk.hears('\u0001\u0000');
  talk.socket.write(request);
  return talk;
}

async function connectTalk(port: number, login: string, authority: string): Promise<Talk> {
  const talk = await talkTo(port);
  talk.socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
  return talk;
}

const SOCKS_OK = '\u0005\u0000\u0000\u0001\0\0\0\0\0\0';

/** Both ways to a tunnel, which are to behave alike. */
const WAYS = [
  [
    'CONNECT',
    async (port: number, run: { token: string; login: string }, host: string, to: number) => {
      const talk = await connectTalk(port, run.login, `${host}:${to}`);
      await talk.hears(OK);
      return talk;
    },
  ],
  [
    'SOCKS5',
    async (port: number, run: { token: string; login: string }, host: string, to: number) => {
      const talk = await socksTalk(port, run.token, socksRequest(host, to));
      await talk.hears(SOCKS_OK);
      return talk;
    },
  ],
] as const;

describe.each(WAYS)('a tunnel by %s', (_, open) => {
  test('carries bytes both ways, and each side ends for itself', async () => {
    const echo = await startEcho();
    const { port, openRun } = await startProxy();
    const talk = await open(port, openRun(['listed.example']), 'listed.example', echo);
    talk.socket.write('one');
    await talk.hears('one');
    talk.socket.end('two');
    expect(await talk.rest()).toBe('two');
  });

  test('lets the server speak first', async () => {
    const server = await startServer((socket) => void socket.write('220 hello'));
    const { port, openRun } = await startProxy();
    const talk = await open(port, openRun(['listed.example']), 'listed.example', server);
    expect(await talk.hears('220 hello')).toBe('220 hello');
  });

  test('holds back who sends faster than the other reads', async () => {
    const echo = await startEcho();
    const { port, openRun } = await startProxy();
    const talk = await open(port, openRun(['listed.example']), 'listed.example', echo);
    const much = Buffer.alloc(8_000_000, 'x');
    talk.socket.end(much);
    expect((await talk.rest()).length).toBe(much.length);
  });

  test('ends with its run', async () => {
    const echo = await startEcho();
    const { port, openRun } = await startProxy();
    const run = openRun(['listed.example']);
    const talk = await open(port, run, 'listed.example', echo);
    run.close();
    expect(await talk.rest()).toBe('');
  });

  test('ends for the server when the client breaks off, and the other way round', async () => {
    let broke: (error: Error) => void;
    const breaking = new Promise<Error>((resolve) => (broke = resolve));
    const server = await startServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
      socket.once('error', (error) => broke(error));
    });
    const { port, openRun } = await startProxy();
    const run = openRun(['listed.example']);
    const first = await open(port, run, 'listed.example', server);
    first.socket.resetAndDestroy();
    // Not a goodbye: half of something must not look like all of it.
    expect(await breaking).toMatchObject({ code: 'ECONNRESET' });
    const second = await open(port, run, 'listed.example', server);
    second.socket.write('die');
    expect(await second.rest()).toBe('');
  });

  describe('to port 443', () => {
    /** Everything leads to the echo, by way of another proxy: nobody need listen on that port here. */
    async function openTls({ host = 'listed.example', helloMs = 60_000 } = {}) {
      const parent = await startParent(await startEcho());
      const { port, openRun } = await startProxy({ upstream: parent.url, limits: { helloMs } });
      const run = openRun(['listed.example', '93.184.216.34']);
      return { talk: await open(port, run, host, 443), refusals: run.refusals };
    }

    test('passes TLS that names the host, in any number of pieces', async () => {
      const hello = (await clientHello('listed.example')).toString('latin1');
      const { talk, refusals } = await openTls();
      talk.socket.setNoDelay(true);
      for (const piece of hello.match(/[\s\S]{1,60}/g) ?? []) {
        talk.socket.write(piece, 'latin1');
        await new Promise(setImmediate);
      }
      expect(await talk.hears(hello)).toBe(hello);
      talk.socket.end('later');
      expect(await talk.rest()).toBe('later');
      expect(refusals).toEqual([]);
    });

    test('passes TLS that names nobody to an address', async () => {
      const hello = await clientHello(undefined);
      const { talk } = await openTls({ host: '93.184.216.34' });
      talk.socket.write(hello);
      await talk.hears(hello.toString('latin1'));
    });

    test('refuses TLS that names another host', async () => {
      const { talk, refusals } = await openTls();
      talk.socket.write(await clientHello('evil.com'));
      expect(await talk.rest()).toBe(UNRECOGNIZED_NAME);
      expect(refusals).toEqual([{ host: 'evil.com', port: 443, reason: 'wrong-server-name' }]);
    });

    test('refuses TLS that names nobody', async () => {
      const { talk, refusals } = await openTls();
      talk.socket.write(await clientHello(undefined));
      expect(await talk.rest()).toBe(UNRECOGNIZED_NAME);
      expect(refusals).toEqual([{ host: 'listed.example', port: 443, reason: 'no-server-name' }]);
    });

    test('refuses everything else', async () => {
      const { talk, refusals } = await openTls();
      talk.socket.write('GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n');
      expect(await talk.rest()).toContain('listed.example:443 was not spoken to in TLS\n');
      expect(refusals).toEqual([{ host: 'listed.example', port: 443, reason: 'not-tls' }]);
    });

    test.each([
      ['never goes on', 50, Buffer.from('160301', 'hex')],
      ['never ends', 60_000, Buffer.from(`160301400001003fff${'00'.repeat(16_380)}`, 'hex')],
    ])('refuses a hello that %s', async (_name, helloMs, bytes) => {
      const { talk, refusals } = await openTls({ helloMs });
      talk.socket.write(bytes);
      expect(await talk.rest()).toContain('403 Forbidden');
      expect(refusals).toEqual([{ host: 'listed.example', port: 443, reason: 'not-tls' }]);
    });

    test('has nothing against a client that leaves without a word', async () => {
      const { talk, refusals } = await openTls();
      talk.socket.end();
      expect(await talk.rest()).toBe('');
      expect(refusals).toEqual([]);
    });
  });

  test('to another port refuses TLS that names another host', async () => {
    const echo = await startEcho();
    const { port, openRun } = await startProxy();
    const run = openRun(['listed.example']);
    const talk = await open(port, run, 'listed.example', echo);
    talk.socket.write(await clientHello('evil.com'));
    expect(await talk.rest()).toBe(UNRECOGNIZED_NAME);
    expect(run.refusals).toEqual([{ host: 'evil.com', port: echo, reason: 'wrong-server-name' }]);
  });
});

test('what a client sends along with CONNECT is part of the tunnel', async () => {
  const echo = await startEcho();
  const { port, openRun } = await startProxy();
  const { login } = openRun(['listed.example']);
  const talk = await talkTo(port);
  talk.socket.end(`CONNECT listed.example:${echo} HTTP/1.1\r\n${login}\r\nearly`);
  // The goodbye came before the answer, but the bytes in front of it are not lost.
  expect(await talk.rest()).toBe(`${OK}early`);
});

describe('CONNECT to a host that is not allowed', () => {
  test.each([
    ['other.example:443', { host: 'other.example', port: 443, reason: 'not-listed' }],
    ['listed.example.evil.com:443', { host: 'listed.example.evil.com', port: 443, reason: 'not-listed' }],
    ['127.0.0.1:22', { host: '127.0.0.1', port: 22, reason: 'not-listed' }],
    ['0x7f000001:22', { host: '127.0.0.1', port: 22, reason: 'not-listed' }],
    ['[::1]:22', { host: '::1', port: 22, reason: 'not-listed' }],
    ['listed.example@evil.com:443', { host: 'evil.com:443', port: 0, reason: 'malformed' }],
    ['listed.example', { host: 'listed.example', port: 0, reason: 'malformed' }],
    ['listed.example:0', { host: 'listed.example:0', port: 0, reason: 'malformed' }],
    ['http://listed.example/', { host: 'http://listed.example/', port: 0, reason: 'malformed' }],
  ])('%s', async (authority, refusal) => {
    const { port, openRun } = await startProxy();
    const { login, refusals } = openRun(['listed.example']);
    const answer = await (await connectTalk(port, login, authority)).rest();
    // Some are not even HTTP.
    expect(answer).toMatch(/^HTTP\/1\.1 (?:403 Forbidden|400 Bad Request)\r\n/);
    if (answer.includes('403')) expect(refusals).toEqual([refusal]);
  });
});

describe('SOCKS', () => {
  test.each([
    ['a name', socksRequest('other.example', 443), { host: 'other.example', port: 443, reason: 'not-listed' }],
    ['a trick', socksRequest('listed.example@evil.com', 443), { host: 'evil.com', port: 443, reason: 'malformed' }],
    ['no port', socksRequest('listed.example', 0), { host: 'listed.example', port: 0, reason: 'malformed' }],
    ['no name', socksRequest('', 443), { host: '', port: 443, reason: 'malformed' }],
    ['an address as a name', socksRequest('2130706433', 80), { host: '127.0.0.1', port: 80, reason: 'not-listed' }],
    [
      'an address',
      Buffer.from([5, 1, 0, 1, 169, 254, 169, 254, 0, 80]),
      { host: '169.254.169.254', port: 80, reason: 'not-listed' },
    ],
    [
      'a long address',
      Buffer.from([5, 1, 0, 4, ...Buffer.alloc(10), 255, 255, 10, 0, 0, 1, 0, 80]),
      { host: '10.0.0.1', port: 80, reason: 'not-listed' },
    ],
  ])('refuses %s by its ruleset', async (_, request, refusal) => {
    const { port, openRun } = await startProxy();
    const { token, refusals } = openRun(['listed.example']);
    const talk = await socksTalk(port, token, request);
    expect(await talk.rest()).toBe('\u0005\u0002\u0000\u0001\0\0\0\0\0\0');
    expect(refusals).toEqual([refusal]);
  });

  test('says that a server could not be reached', async () => {
    const { port, openRun } = await startProxy({ resolve: () => Promise.resolve([]) });
    const talk = await socksTalk(port, openRun(['*']).token, socksRequest('a.example', 80));
    expect((await talk.rest()).slice(0, 2)).toBe('\u0005\u0001');
  });

  test.each([
    ['to listen', Buffer.from([5, 2, 0, 1, 1, 1, 1, 1, 0, 80]), '\u0005\u0007'],
    ['to send single packets', Buffer.from([5, 3, 0, 1, 1, 1, 1, 1, 0, 80]), '\u0005\u0007'],
    ['an address of no known kind', Buffer.from([5, 1, 0, 9, 1, 1, 1, 1, 0, 80]), '\u0005\u0008'],
    ['nonsense', Buffer.from([9, 1, 0, 1]), ''],
  ])('does not do what is asked: %s', async (_, request, answer) => {
    const { port, openRun } = await startProxy();
    const talk = await socksTalk(port, openRun(['*']).token, request);
    expect((await talk.rest()).slice(0, 2)).toBe(answer);
  });

  test('wants a password, and the right one', async () => {
    const { port, openRun } = await startProxy();
    openRun(['*']);
    expect(await say(port, Buffer.from([5, 1, 0]))).toBe('\u0005\u00ff');
    expect(await say(port, Buffer.from([5, 1, 2, 1, 1, 0x74, 1, 0x78, ...socksRequest('a.example', 80)]))).toBe(
      '\u0005\u0002\u0001\u0001',
    );
  });

  test('of the older version is refused', async () => {
    const { port } = await startProxy();
    const request = Buffer.from([4, 1, 0, 80, 0, 0, 0, 1, 0, ...Buffer.from('listed.example'), 0]);
    expect(await say(port, request)).toBe('\u0000[\0\0\0\0\0\0');
  });
});

test('the proxy above is asked for the host by its name, with its own password', async () => {
  const parent = await startParent(await startEcho());
  const { port, openRun } = await startProxy({ upstream: parent.url });
  const talk = await connectTalk(port, openRun(['listed.example']).login, 'listed.example:22');
  await talk.hears(OK);
  const login = Buffer.from('us@er:se:cret').toString('base64');
  expect(parent.heads).toEqual([
    `CONNECT listed.example:22 HTTP/1.1\r\nHost: listed.example:22\r\nProxy-Authorization: Basic ${login}\r\n\r\n`,
  ]);
});

test('plain HTTP goes through the proxy above as well', async () => {
  const origin = await startOrigin();
  const parent = await startParent(origin.port);
  const { port, openRun } = await startProxy({ upstream: parent.url });
  const { login } = openRun(['listed.example']);
  const answer = await say(
    port,
    `GET http://listed.example/x HTTP/1.1\r\nHost: y\r\nConnection: close\r\n${login}\r\n`,
  );
  expect(answer).toContain('seen listed.example/x');
});

test.each(['HTTP/1.1 403 Forbidden\r\n\r\n', 'nonsense\r\n\r\n', ''])(
  'a proxy above that says %j is a failure',
  async (said) => {
    const above = await startServer((socket) => void socket.once('data', () => socket.end(said)));
    const { port, openRun } = await startProxy({ upstream: new URL(`http://127.0.0.1:${above}`) });
    const talk = await connectTalk(port, openRun(['listed.example']).login, 'listed.example:22');
    expect(await talk.rest()).toContain('502 Bad Gateway');
  },
);

test('addresses that are written out are checked although a proxy above looks names up', async () => {
  const parent = await startParent(await startEcho());
  const { port, openRun } = await startProxy({ upstream: parent.url });
  const run = openRun(['*'], { allowsPrivate: () => false });
  for (const authority of ['10.0.0.1:80', 'localhost:80', 'a.localhost:80', '[::1]:80']) {
    expect(await (await connectTalk(port, run.login, authority)).rest()).toContain('403 Forbidden');
  }
  expect(run.refusals.map(({ reason }) => reason)).toEqual(Array.from({ length: 4 }, () => 'private-address'));
  expect(parent.heads).toEqual([]);
});

test('only a proxy that is spoken to in plain HTTP can be above', async () => {
  await expect(startProxy({ upstream: new URL('https://proxy.example:8443') })).rejects.toThrow(
    'the proxy https://proxy.example:8443 cannot be used',
  );
});

test('no bytes bring the proxy down, and none reach anything', async () => {
  const asked: string[] = [];
  const { port, openRun } = await startProxy({ limits: { helloMs: 50 } });
  openRun(['*'], { allows: (host) => asked.push(host) < 0 });
  const starts = [
    '',
    'GET ',
    'CONNECT a:1 HTTP/1.1\r\n',
    '\u0005\u0001\u0002',
    '\u0005\u0001\u0002\u0001',
    '\u0004\u0001',
  ];
  const bytes = fc
    .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }))
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'latin1'), rest]));
  await fc.assert(
    fc.asyncProperty(bytes, async (message) => {
      const talk = await talkTo(port);
      talk.socket.end(message);
      await once(talk.socket, 'close');
    }),
    propertyRuns(50),
  );
  expect(asked).toEqual([]);
});
